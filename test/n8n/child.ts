import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * Child processes, each in a group of its own, so that what they start can be ended with them. The
 * kernel ends them when this process ends first, however it ends: a test run that was killed leaves
 * no n8n behind, and no npm, which takes no notice of gentler signals.
 */
const ENDS_WITH_PARENT = ['setpriv', '--pdeathsig', 'KILL'] as const;

interface Command {
	program: string;
	args: string[];
	cwd: string;
	env: NodeJS.ProcessEnv;
	/** Where both output streams go; a folder of its own among the temporary ones when left out. */
	logFile?: string;
}

const alive = new Set<Child>();

/** Ends all that are running, gently at first. */
export async function stopChildren(): Promise<void> {
	await Promise.all([...alive].map(async (child) => await child.stop()));
}

export class Child {
	readonly logFile: string;

	/** Settles with the exit code, or with the name of the signal that ended it. */
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

	/** What this process (not an earlier one with the same log file) has printed so far. */
	log(): string {
		return readFileSync(this.logFile).subarray(this.logStart).toString('utf8');
	}

	/** Signals the whole group; a group that is already gone is fine. */
	kill(signal: NodeJS.Signals): void {
		if (this.pid === undefined) return;
		try {
			process.kill(-this.pid, signal);
		} catch {
			// gone already
		}
	}

	/** Asks it to end, insists after the given time, and waits until it has. */
	async stop(patienceMs = 5_000): Promise<number | string> {
		this.kill('SIGTERM');
		const insist = setTimeout(() => this.kill('SIGKILL'), patienceMs);
		const result = await this.ended;
		clearTimeout(insist);
		this.kill('SIGKILL');
		return result;
	}
}

/** The lines that tell most about what went wrong: the first that name an error, and the last. */
function excerpt(log: string): string {
	const lines = log.trimEnd().split('\n');
	const named = lines.filter((line) => /\berror\b/i.test(line)).slice(0, 12);
	return [...new Set([...named, ...lines.slice(-12)])].join('\n');
}

/**
 * Waits for the end of a command that was given no log file. Its output stays only where it did not
 * succeed.
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
	throw new Error(`${what} ended with ${result}:\n${excerpt(child.log())}\nAll: ${child.logFile}`);
}
