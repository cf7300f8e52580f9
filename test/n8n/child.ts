import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * The kernel kills child processes when this process ends, however it ends. So a killed test run leaves
 * no n8n behind, and no npm, which ignores SIGTERM. Each child has its own process group, so that its
 * own children can be stopped with it.
 */
const ENDS_WITH_PARENT = ['setpriv', '--pdeathsig', 'KILL'] as const;

interface Command {
	program: string;
	args: string[];
	cwd: string;
	env: NodeJS.ProcessEnv;
	/** The file for both output streams. The default is a file in a new temporary folder. */
	logFile?: string;
}

const alive = new Set<Child>();

/** Stops all running children. */
export async function stopChildren(): Promise<void> {
	await Promise.all([...alive].map(async (child) => await child.stop()));
}

export class Child {
	readonly logFile: string;

	/** Resolves with the exit code, or with the name of the signal that ended the process. */
	readonly ended: Promise<number | string>;

	private readonly process: ChildProcess;

	private readonly logStart: number;

	constructor({ program, args, cwd, env, logFile }: Command) {
		this.logFile = logFile ?? join(mkdtempSync(join(tmpdir(), 'host-run-')), 'output.log');
		const log = openSync(this.logFile, 'a');
		this.logStart = statSync(this.logFile).size;
		const stdio: Array<'ignore' | number> = ['ignore', log, log];
		const [wrapper, ...wrapping] = [...ENDS_WITH_PARENT, program, ...args];
		this.process = spawn(wrapper, wrapping, { cwd, env, detached: true, stdio });
		closeSync(log);
		alive.add(this);
		this.ended = new Promise<number | string>((resolve) => {
			this.process.once('error', (error) => resolve(error.message));
			this.process.once('exit', (code, signal) => resolve(code ?? signal ?? 'unknown'));
		});
		void this.ended.then(() => alive.delete(this));
	}

	get pid(): number | undefined {
		return this.process.pid;
	}

	get running(): boolean {
		return alive.has(this);
	}

	/** The output of this process, without that of an earlier one with the same log file. */
	log(): string {
		return readFileSync(this.logFile).subarray(this.logStart).toString('utf8');
	}

	/** Sends a signal to the whole process group, if it still exists. */
	kill(signal: NodeJS.Signals): void {
		if (this.pid === undefined) return;
		try {
			process.kill(-this.pid, signal);
		} catch {
			// The process group no longer exists.
		}
	}

	/** Sends SIGTERM, then SIGKILL after the given time, and waits until the process has ended. */
	async stop(timeoutMs = 5_000): Promise<number | string> {
		this.kill('SIGTERM');
		const forced = setTimeout(() => this.kill('SIGKILL'), timeoutMs);
		const result = await this.ended;
		clearTimeout(forced);
		this.kill('SIGKILL');
		return result;
	}
}

/** The most useful lines of a log: the first ones that contain an error, and the last ones. */
function excerpt(log: string): string {
	const lines = log.trimEnd().split('\n');
	const named = lines.filter((line) => /\berror\b/i.test(line)).slice(0, 12);
	return [...new Set([...named, ...lines.slice(-12)])].join('\n');
}

/**
 * Waits for the end of a command without a log file of its own. Its output is kept only if it fails.
 *
 * @throws Error with an excerpt of the output
 */
export async function finish(child: Child, what: string): Promise<string> {
	const result = await child.ended;
	if (result === 0) {
		const output = child.log();
		rmSync(dirname(child.logFile), { recursive: true });
		return output;
	}
	throw new Error(
		`${what} ended with ${result}:\n${excerpt(child.log())}\nFull output: ${child.logFile}`,
	);
}
