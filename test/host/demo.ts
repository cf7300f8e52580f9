import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Emulator, startEmulator } from '../emulator';
import { whenAbandoned } from './abandoned';
import { sampleArticle, textOf } from './article';
import { stopChildren } from './child';
import { activated, credential, moveIn, workflow } from './demo-house';
import { keep, lockFolder, remember, userFolder } from './demo-memory';
import { install } from './install';
import { N8n } from './n8n';
import { pack, unpack } from './pack';
import { freePort } from './ports';
import { say, seconds, step } from './progress';
import { Rest } from './rest';

/** `npm run demo [-- --once]`: one article becomes one post, in a real n8n, before your eyes. */

const PATIENCE_MS = 15_000;

let emulator: Emulator | undefined;
let leaving = false;

/** Ends what was started, whatever state it is in. */
async function leave(code: number): Promise<void> {
	leaving = true;
	await stopChildren();
	await emulator?.stop();
	process.exit(code);
}

async function start() {
	lockFolder();
	const again = existsSync(userFolder);
	const memory = remember();
	say(again ? 'Starting with the data of the last time (.demo/).' : 'Starting for the first time.');
	await install();
	const tarball = await step('Building and packing the package', pack);
	unpack(tarball, userFolder);

	const { appSecret, encryptionKey } = memory;
	emulator = await startEmulator({ port: await freePort(memory.emulatorPort), appSecret });
	const title = `Starting n8n${again ? '' : ' (the first time it sets up its database)'}`;
	const n8n = await step(title, async () => {
		return await N8n.start({ userFolder, port: memory.n8nPort, encryptionKey });
	});
	memory.n8nPort = Number(new URL(n8n.url).port);
	memory.emulatorPort = Number(new URL(emulator.url).port);

	const rest = new Rest(n8n.url);
	await step('Setting up login, credential and workflow', async () => {
		await moveIn(rest, memory);
		memory.credentialId = await credential(rest, memory, emulator!);
		memory.workflowId = await workflow(rest, memory);
		keep(memory);
	});
	const { workflowId = '' } = memory;
	const path = await activated(rest, workflowId);
	return { memory, n8n, rest, workflowId, emulator, hook: `${n8n.url}/webhook/${path}` };
}

type Demo = Awaited<ReturnType<typeof start>>;

/** Sends one article and tells what became of it; true when it has become a post. */
async function publish({ rest, workflowId, hook, emulator: platform }: Demo): Promise<boolean> {
	const article = sampleArticle(platform.url, new Date());
	say(`\n1. The CMS announces “${article.post.post_title}”: POST ${hook}`);
	const body = JSON.stringify(article);
	const headers = { 'content-type': 'application/json' };
	const answer = await fetch(hook, { method: 'POST', headers, body });
	const [id = ''] = await rest.executionIds(workflowId);
	const execution = await rest.finished(id);
	say(`2. n8n ran the workflow: execution ${id}, ${execution.status}`);
	say(`3. The CMS got HTTP ${answer.status}: ${(await answer.text()).slice(0, 400)}`);
	const found = () =>
		platform.posts.find(({ request }) => (request as { text?: string }).text === textOf(article));
	const deadline = Date.now() + PATIENCE_MS;
	while (found()?.status !== 'published' && found() && Date.now() < deadline) {
		await new Promise((resolve) => setTimeout(resolve, 250));
	}
	const post = found();
	if (!post) {
		say('4. The platform has no post with this text.');
		return false;
	}
	const way = post.history.map(({ status }) => status).join(' → ');
	say(`4. The platform has the post ${post.social_post_id} (${post.action_sn}): ${way}`);
	return execution.status === 'success' && answer.status === 200;
}

function tellWhereToLook({ n8n, workflowId, memory, emulator: platform, hook }: Demo): void {
	say(`
  Workflow in the editor   ${n8n.url}/workflow/${workflowId}
  Log in with              ${memory.email}
                           ${memory.password}
  Posts on the platform    ${platform.url}/
  Publish another article  curl -H 'content-type: application/json' ${hook} -d '{"post": {…}}'
  Start all over           remove the folder .demo/

Everything runs on this machine only. Press Ctrl-C to stop.`);
}

async function main(): Promise<void> {
	const started = Date.now();
	const { values } = parseArgs({ options: { once: { type: 'boolean' } } });
	const demo = await start();
	const published = await publish(demo);
	say(`\n${published ? 'It works' : 'It did not work'}; ${seconds(started)} in all.`);
	if (values.once) return await leave(published ? 0 : 1);
	tellWhereToLook(demo);
	await demo.n8n.ended;
	if (leaving) return;
	say(`n8n has ended by itself. Its log: ${userFolder}/n8n.log`);
	await leave(1);
}

function stop(code: number): void {
	if (leaving) return;
	say('\nStopping n8n and the platform …');
	void leave(code);
}

process.on('SIGINT', () => stop(0));
process.on('SIGTERM', () => stop(143));
process.on('SIGHUP', () => stop(129));
whenAbandoned(() => stop(143));

main().catch(async (error: Error) => {
	if (leaving) return;
	say(`\nThe demo could not go on: ${error.message}`);
	await leave(1);
});
