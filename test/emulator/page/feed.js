const REFRESH_MS = 1000;
const SHOWN_POSTS = 60;
const SHOWN_LINES = 30;

/** Creates an element. Children that are strings become text, so that users' texts are never markup. */
function h(tag, attributes, ...children) {
	const element = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes ?? {})) {
		if (value !== undefined && value !== null) element.setAttribute(name, String(value));
	}
	element.append(...children.flat().filter((child) => child !== undefined && child !== null));
	return element;
}

const time = (iso) => new Date(iso).toLocaleTimeString([], { hour12: false });
const moment = (iso) =>
	new Date(iso).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short', hour12: false });
const badge = (state, text = state) => h('span', { class: `badge ${state}` }, text);

/** Statuses that are shown with another word than the platform's. */
const STATUSES = { queued: 'scheduled' };
const statusOf = (status) => STATUSES[status] ?? status;

const OPERATIONS = {
	getAccessToken: 'Get an access token',
	createPost: 'Create a post',
	chatCompletions: 'Chat',
	responses: 'Chat',
};

/** What a response of n8n to a status report means. */
const RESPONSES = {
	401: 'n8n refused it: the signature is wrong',
	404: 'no active workflow has this URL',
};

// The query may contain a token.
const bare = (link) => link.replace(/[?#].*$/s, '');

/** A box in place of a picture. */
const placeholder = (link, icon, ...lines) =>
	h(
		'div',
		{ class: 'missing', title: bare(link) },
		h('b', null, icon),
		lines.map((line) => h('span', null, line)),
	);

function picture(link, alt) {
	const video = /\.(mp4|mov|webm)(\?|$)/i.test(link);
	if (video) return placeholder(link, '▶', bare(link));
	const missing = () => placeholder(link, '✕', 'The picture cannot be loaded.', bare(link));
	if (!/^(https?:|\/fetched\/)/i.test(link)) return missing();
	const image = h('img', { src: link, alt });
	image.addEventListener('error', () => image.replaceWith(missing()));
	return image;
}

function pictures({ request, media, status, message }, fetchesMedia) {
	const urls = Array.isArray(request.media_urls) ? request.media_urls.map(String) : [];
	const shown = (url, index) => {
		const { file, problem, type } = media?.[index] ?? {};
		if (file) return picture(`/fetched/${file}`, alt);
		const reason = problem ?? (status === 'failed' && !type ? message : undefined);
		if (reason) {
			return placeholder(
				url,
				'✕',
				`The platform could not download this file: ${reason}`,
				bare(url),
			);
		}
		if (fetchesMedia && !media) return placeholder(url, '…', 'Not downloaded yet', bare(url));
		return picture(url, alt);
	};
	if (urls.length === 0) return h('div', { class: 'media none' }, h('span', null, 'Aa'));
	const alt = String(request.exclusive?.alt_text ?? '');
	const count = urls.length > 1 ? h('span', { class: 'count' }, `${urls.length} files`) : undefined;
	const strip = h(
		'div',
		{ class: 'strip', tabindex: urls.length > 1 ? 0 : undefined },
		urls.map(shown),
	);
	return h('div', { class: 'media' }, strip, count);
}

const wording = (value) => {
	if (value === true) return 'yes';
	if (value === false) return 'no';
	if (Array.isArray(value)) return value.map(wording).join(', ');
	return value !== null && typeof value === 'object'
		? Object.entries(value)
				.map(([key, inner]) => `${key.replaceAll('_', ' ')}: ${wording(inner)}`)
				.join(', ')
		: String(value);
};

function options(request) {
	const entries = Object.entries(request.exclusive ?? {});
	if (entries.length === 0) return undefined;
	const rows = entries.map(([name, value]) => [
		h('dt', null, name.replaceAll('_', ' ')),
		h('dd', null, wording(value)),
	]);
	return h('dl', { class: 'options' }, rows.flat());
}

function schedule(post) {
	const { post_date: date } = post.request;
	if (!date) return undefined;
	return h('p', { class: 'schedule', title: String(date) }, `◷ ${moment(date)}`);
}

function card({ fetchesMedia, ...post }) {
	const { request } = post;
	const account = String(request.social_account_id ?? 'no account');
	const steps = post.history.map(({ status, at }) =>
		h('li', { class: status, title: moment(at) }, `${statusOf(status)} ${time(at)}`),
	);
	return h(
		'article',
		null,
		h(
			'div',
			{ class: 'who' },
			h('span', { class: 'avatar', 'aria-hidden': 'true' }, account.slice(0, 1).toUpperCase()),
			h(
				'div',
				{ class: 'account' },
				h('b', { title: account }, account),
				request.type ? h('small', null, String(request.type)) : undefined,
			),
			badge(post.status, statusOf(post.status)),
		),
		pictures(post, fetchesMedia),
		h(
			'div',
			{ class: 'words' },
			request.title ? h('h3', null, String(request.title)) : undefined,
			request.text ? h('p', { class: 'caption' }, String(request.text)) : undefined,
			post.message ? h('p', { class: 'failure' }, post.message) : undefined,
			schedule(post),
			options(request),
		),
		h('ol', { class: 'steps' }, steps),
		h('footer', null, h('span', null, post.action_sn), h('span', null, post.social_post_id)),
	);
}

const REPORT_STATES = { delivered: 'received', failed: 'not received', pending: 'sending' };

/** The title of a report, such as “Post published” for the event `post.published`. */
function reportTitle(event) {
	if (!event) return 'Other message';
	const words = event.replace(/[._]/g, ' ');
	return words.charAt(0).toUpperCase() + words.slice(1);
}

function responseText({ status, error }) {
	if (error) return `n8n did not respond: ${error}`;
	if (status === undefined || status === null) return 'waiting for n8n';
	if (status < 300) return 'n8n accepted it';
	return RESPONSES[status] ?? `n8n responded with HTTP ${status}`;
}

function reportLine({ state, event, attempts }) {
	const texts = attempts.map(responseText);
	const last = texts.at(-1) ?? 'waiting for n8n';
	const count = texts.length > 1 ? `attempt ${texts.length}: ` : '';
	return h(
		'li',
		null,
		badge(state, REPORT_STATES[state]),
		h('b', null, reportTitle(event)),
		h('span', { class: 'detail', title: texts.join(' → ') }, count + last),
		h('time', null, attempts[0] ? time(attempts[0].at) : ''),
	);
}

function requestLine({ status, operation, path, fault, at }) {
	const [state, text] =
		status === null
			? ['cut', 'no response']
			: status < 400
				? ['ok', 'responded']
				: ['bad', `HTTP ${status}`];
	return h(
		'li',
		null,
		badge(state, text),
		h('b', null, OPERATIONS[operation] ?? path),
		h('span', { class: 'detail' }, fault ? `simulated fault: ${fault.replaceAll('-', ' ')}` : ''),
		h('time', null, time(at)),
	);
}

const drawn = new WeakMap();

/** Shows the items of a list. Unchanged items keep their elements, so that the page does not flicker. */
function draw(id, items, keyOf, render) {
	const list = document.getElementById(id);
	const known = new Map([...list.children].map((element) => [element.dataset.key, element]));
	const wanted = items.map((item) => {
		const key = String(keyOf(item));
		const content = JSON.stringify(item);
		const present = known.get(key);
		if (present && drawn.get(present) === content) return present;
		const element = render(item);
		element.dataset.key = key;
		drawn.set(element, content);
		return element;
	});
	const same = wanted.length === list.children.length;
	if (!same || wanted.some((element, n) => element !== list.children[n])) {
		// Only elements that move are changed, so that the other pictures are not loaded again.
		wanted.forEach((element, n) => {
			if (list.children[n] !== element) list.insertBefore(element, list.children[n] ?? null);
		});
		while (list.children.length > wanted.length) list.lastElementChild.remove();
	}
	document.getElementById(`no-${id}`).hidden = items.length > 0;
}

function drawCounts(state) {
	const by = (status) => state.posts.filter((post) => post.status === status).length;
	const counts = {
		posts: state.counts.posts,
		published: by('published'),
		failed: by('failed'),
		requests: state.counts.received,
		'status reports': state.counts.deliveries,
	};
	const target = document.getElementById('counts');
	if (drawn.get(target) === JSON.stringify(counts)) return;
	drawn.set(target, JSON.stringify(counts));
	const pairs = Object.entries(counts).map(([name, count]) =>
		h('div', null, h('dd', null, String(count)), h('dt', null, name)),
	);
	target.replaceChildren(...pairs);
}

async function refresh() {
	const status = document.getElementById('connection');
	try {
		const answer = await fetch('/__emulator/state');
		const state = await answer.json();
		document.getElementById('platform').textContent = state.platform;
		status.textContent = moment(state.now);
		status.className = '';
		drawCounts(state);
		const { fetchesMedia } = state;
		const posts = state.posts.slice(-SHOWN_POSTS).map((post) => ({ ...post, fetchesMedia }));
		draw('posts', posts.reverse(), (post) => post.action_sn, card);
		const reports = state.deliveries.map((report, n) => ({ ...report, n }));
		draw('reports', reports.slice(-SHOWN_LINES).reverse(), ({ n }) => n, reportLine);
		draw('requests', state.requests.slice(-SHOWN_LINES).reverse(), ({ id }) => id, requestLine);
	} catch {
		status.textContent = 'not reachable';
		status.className = 'lost';
	}
	setTimeout(refresh, REFRESH_MS);
}

void refresh();
