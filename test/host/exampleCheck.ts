import { parse } from 'flatted';
import { randomUUID } from 'node:crypto';
import { json } from 'node:stream/consumers';
import { readExactJson, writeJson } from '../emulator/exact-json';
import { loopback } from '../loopback';
import { packageName } from '../n8n/pack';
import type { Execution } from '../n8n/rest';
import { reference } from '../n8n/workflows';
import { ExampleFlow, outputOf, pictureUrl, posts, publish, setup } from './exampleFlow';
import { type Item, until } from './postFlow';

interface PostBody {
	text: string;
	media_urls: string[];
	post_date?: string;
	exclusive?: Item;
	[field: string]: unknown;
}

/** The differences of a platform from the emulated one, to which it passes all requests on. */
interface Difference {
	/** Changes a request to create a post, or returns the response to it. */
	onPost?: (body: PostBody, address: string) => object | void;
	/** Changes a response. */
	respond?: (body: Item, path: string) => Item;
	/** The header in which chat requests send the App Secret. */
	chatAuthHeader?: string;
	/** Other settings of the credential. */
	settings?: Item;
}

/** The name of a program that downloads files. n8n sends such programs nothing. */
const BOT = { 'user-agent': 'PhotoBot/1.0' };

/** Starts a platform that passes on to the emulated one what does not differ. */
async function platformThat({ onPost, respond = (body) => body }: Difference) {
	const platform = await loopback((request, response) => {
		const answer = async () => {
			const { method, headers, url: path = '' } = request;
			if (path.startsWith('/download?')) {
				const file = await fetch(decodeURIComponent(path.split('?')[1]!), { headers: BOT });
				return response.writeHead(file.status).end(Buffer.from(await file.arrayBuffer()));
			}
			const body = method === 'POST' ? ((await json(request)) as PostBody) : undefined;
			const own = path.includes('socialPost') && body?.text && onPost?.(body, platform.url);
			if (own) return response.end(writeJson(own));
			const { host: _, 'content-length': __, connection: ___, ...sent } = headers;
			const answered = await fetch(`${setup.emulator.url}${path}`, {
				method,
				headers: sent as Record<string, string>,
				body: body && JSON.stringify(body),
			});
			const text = await answered.text();
			response.writeHead(answered.status, { 'content-type': 'application/json' });
			return response.end(text && writeJson(respond(readExactJson(text) as Item, path)));
		};
		answer().catch(() => response.destroy());
	});
	return platform;
}

/** The field in which each check sends its option. */
const fields: Record<string, string> = {
	'Auto-crop': 'auto_crop_image',
	Collaborator: 'collaborators',
	Location: 'location_id',
	'Video cover image': 'thumbnail',
	'Video cover offset': 'thumbnail_offset',
	'Trial reel': 'trial_params',
};

/** The checks of which a person sees the result on the photo platform or in the platform's console. */
function seen(account: string, scheduledFor: string): string[] {
	const own = posts('Check: ').filter((post) => post.social_account_id === account);
	return own.flatMap(({ status, request }) => {
		const { text, exclusive, ...body } = request as PostBody;
		const name = text.slice('Check: '.length);
		const option = fields[name];
		const isSeen =
			name === 'Publish time'
				? Date.parse(body.post_date ?? '') === Date.parse(scheduledFor.split(' ')[0]!)
				: status === 'published' && (!option || option in { ...body, ...exclusive });
		return isSeen ? [name] : [];
	});
}

/** Sends the form for which an execution waits. */
async function sendForm(id: string, values: string[]): Promise<Response> {
	let raw = '';
	await until(async () => {
		const execution = await setup.rest.execution(id);
		raw = execution.raw;
		return execution.status === 'waiting' && raw !== '';
	}, 60_000);
	const { resumeToken = '' } = (parse(raw) ?? {}) as { resumeToken?: string };
	const body = new FormData();
	values.forEach((value, index) => body.append(`field-${index}`, value));
	const url = `${setup.n8n.url}/form-waiting/${id}?signature=${resumeToken}`;
	return await fetch(url, { method: 'POST', body });
}

/** The rows of the report, which is a page with a table. */
const rowsOf = (execution: Execution): Item[] =>
	String(outputOf(execution, 'Report')[0]!.html)
		.split('<tr>')
		.slice(2)
		.map((row) => {
			const cells = row.split('<td>').slice(1);
			const [check, result, what_to_do] = cells.map((cell) => cell.split('</td>')[0]!);
			return { check, result, what_to_do };
		});

/** A row of the report: the check, the result, and a part of what to do. */
type Row = [check: string, result: string, whatToDo: string];

/** The rows that require an action. The workflow always asks about the rate limit. */
const toDo = (report: Item[]) =>
	report
		.filter(
			({ check, result }) =>
				result !== 'Works' && result !== 'Not checked' && check !== 'Rate limit',
		)
		.map(({ check, result, what_to_do }) => [check, result, what_to_do]);

const expected = (rows: Row[]) =>
	rows.map(([name, result, text]) => [name, result, expect.stringContaining(text) as string]);

const setUp = async (settings: Item): Promise<ExampleFlow> => {
	const credential = await setup.credential('checked', settings);
	return await ExampleFlow.of('check-your-platform', {}, undefined, ({ nodes }) => {
		for (const node of nodes.filter(({ type }) => type.startsWith(`${packageName}.`))) {
			node.credentials = reference(credential);
		}
	});
};

/** Checks a platform as a person does. Returns the report. */
async function check(
	difference: Difference,
	decision = 'Publish up to 9 posts',
	model = 'chat-large',
): Promise<Item[]> {
	const platform = await platformThat(difference);
	const { chatAuthHeader = 'authorization', settings } = difference;
	const account = randomUUID();
	setup.emulator.adjust({ chatAuthHeader });
	try {
		const flow = await setUp({ baseUrl: platform.url, ...settings });
		const id = await setup.rest.start(flow.id, 'Start the Check');
		const picture = pictureUrl();
		const address = `${platform.url}/api/v1/socialPostCreatePhoto`;
		const names = ['somebody', 'loc_1', model, address];
		const response = await sendForm(id, [account, picture, picture, picture, ...names, decision]);
		// With this field, n8n's page opens the next form of the execution.
		expect(await response.json()).toHaveProperty('formWaitingUrl');
		await until(async () => 'Published?' in (await setup.rest.execution(id)).runs, 60_000);
		const results = outputOf(await setup.rest.execution(id), 'Results') as Array<
			Record<string, string>
		>;
		await publish();
		if (results.some(({ outcome }) => outcome === 'accepted')) {
			const time = results.find(({ scheduled_for: at }) => at)?.scheduled_for ?? '';
			await sendForm(id, [JSON.stringify(seen(account, time))]);
		}
		return rowsOf(await setup.rest.finished(id));
	} finally {
		setup.emulator.adjust({ chatAuthHeader: 'authorization' });
		await platform.stop();
	}
}

const ignores =
	(...names: string[]) =>
	(body: PostBody) => {
		for (const name of names) {
			delete body[name];
			delete body.exclusive?.[name];
		}
	};

const refusal = (message: string) => ({
	...{ requestId: 'req_1', success: false },
	...{ code: 2150, message },
});

const CHANGE = 'Change this setting';
const ASK = 'Ask the platform’s support';

const differences: Array<[what: string, Difference, rows: Row[]]> = [
	[
		'issues its token in another field',
		{
			respond: (body, path) =>
				path.endsWith('getAccessToken') ? { ...body, data: { jwt: 'x' } } : body,
		},
		[['Access token', ASK, 'Which field']],
	],
	[
		'has another App Secret',
		{ settings: { appSecret: 'another' } },
		[
			['Access token', CHANGE, 'Check the App Secret'],
			['Chat', CHANGE, 'Check App Secret'],
		],
	],
	[
		'rejects tokens with another code',
		{ respond: (body) => (Number(body.code) === 10104 ? { ...body, code: 40001 } : body) },
		[['Rejected token', CHANGE, 'Expired-Token Codes must contain 40001']],
	],
	[
		'has another name',
		{ settings: { platformName: 'Foto' } },
		[
			['Post with a link', CHANGE, 'Platform Name'],
			['Refusals', CHANGE, 'Platform Name'],
		],
	],
	[
		'ignores the names of six fields',
		{ onPost: ignores(...Object.values(fields)) },
		[
			['Auto-crop', CHANGE, 'Auto-Crop Image Field'],
			['Collaborator', CHANGE, 'Collaborators Field'],
			['Location', CHANGE, 'Location ID Field'],
			['Video cover image', CHANGE, 'Video Cover Image Field'],
			['Video cover offset', CHANGE, 'Video Cover Offset Field'],
			['Trial reel', CHANGE, 'Trial Reel Field'],
		],
	],
	[
		'refuses the name of a field',
		{ onPost: (body) => (body.thumbnail ? refusal('未知字段 thumbnail') : undefined) },
		[['Video cover image', CHANGE, 'Video Cover Image Field']],
	],
	[
		'downloads files with a program that n8n takes for a bot',
		{
			onPost: (body, address) => {
				body.media_urls = body.media_urls.map((url) =>
					url.includes('/binary-data/') ? `${address}/download?${encodeURIComponent(url)}` : url,
				);
			},
		},
		[['Post with a file', CHANGE, 'must not contain “bot”']],
	],
	[
		'ignores the offset of a publish time',
		{
			onPost: (body) => {
				body.post_date = body.post_date?.replace(/[+-]\d\d:\d\d$/, 'Z');
			},
		},
		[['Publish time', CHANGE, 'post_date']],
	],
	[
		'reports refusals in another format',
		{
			respond: ({ success, ...body }) =>
				success === false ? { status: 'fail', ...body } : { success, ...body },
		},
		[
			['Rejected token', ASK, 'With which code'],
			['Refusals', ASK, 'How do you report that a post was refused?'],
		],
	],
	[
		'expects the App Secret in another header',
		{ chatAuthHeader: 'x-app-secret' },
		[['Chat', CHANGE, 'Chat Secret Header']],
	],
];

/** Tests the workflow that checks a platform. */
export function testCheck(): void {
	describe('The example that checks a platform', () => {
		it.each(differences)('names what to do if the platform %s', async (_, difference, rows) => {
			expect(toDo(await check(difference))).toEqual(expected(rows));
		});

		it('reports nothing to change for the emulated platform, also without a model', async () => {
			const report = await check({}, undefined, '');
			expect(toDo(report)).toEqual([]);
			const unchecked = report.filter(({ result }) => result === 'Not checked');
			expect(unchecked.map(({ check: name }) => name)).toEqual(['Chat', 'Webhooks']);
		});

		it('names no field if the posts are not there at all', async () => {
			const onPost = (body: PostBody) => {
				body.text += ' #emulator-fail';
			};
			const found = toDo(await check({ onPost }));
			expect(found).toEqual(expected([['Post with a link', ASK, 'What happened to this post?']]));
		});

		it('publishes nothing if the person decides so', async () => {
			const { length } = setup.emulator.posts;
			const report = await check({}, 'Publish nothing');
			expect(setup.emulator.posts).toHaveLength(length);
			expect(toDo(report)).toEqual([]);
			expect(report.filter(({ result }) => result === 'Not checked')).toHaveLength(10);
		});

		/** Reports an event to the trigger while it listens. */
		const report = async (event: Item, recipe: 'body' | 'timestampBody' = 'body') => {
			const flow = await setUp({});
			await setup.rest.start(flow.id, 'Post Status Changed');
			const url = flow.url('Post Status Changed').replace('/webhook/', '/webhook-test/');
			await setup.emulator.deliver(event, { url, recipe });
			const [execution] = await flow.ended('Post Status Changed');
			return execution!;
		};
		const post = { action_sn: 'SA1', social_account_id: 'acc_1' };

		it.each<[string, Item, Row[]]>([
			['has all fields', { id: 'evt_1', data: { ...post, status: 'published' } }, []],
			[
				'has a status that the node does not know, and no ID',
				{ ...post, status: 'done' },
				[
					['Status in a webhook', ASK, 'What does the status “done” mean?'],
					['Repeated webhooks', ASK, 'Does a webhook that is sent again have the same content?'],
				],
			],
			[
				'has other fields',
				{ id: 'evt_1', data: { sn: 'SA1', state: 'published' } },
				[
					['Post in a webhook', ASK, 'Which field of a webhook contains the action_sn'],
					['Status in a webhook', ASK, 'Which field of a webhook contains the status'],
					['Account in a webhook', CHANGE, 'leave “Accounts” empty'],
					['Repeated webhooks', ASK, 'Its events have no ID'],
				],
			],
		])('names what to do if an event %s', async (_, event, rows) => {
			expect(toDo(rowsOf(await report(event)))).toEqual(expected(rows));
		});

		it('names the method with which another webhook is signed', async () => {
			const { error } = await report({ ...post, status: 'published' }, 'timestampBody');
			expect(error?.message).toMatch(/'Timestamp and Body'.*'Webhook Signature Method'\.$/);
		});
	});
}
