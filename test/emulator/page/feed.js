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
const badge = (state) => h('span', { class: `badge ${state}` }, state);

function picture(link, alt) {
	// The query may contain a token.
	const shown = link.replace(/[?#].*$/s, '');
	const video = /\.(mp4|mov|webm)(\?|$)/i.test(link);
	const fallback = () =>
		h(
			'div',
			{ class: 'missing', title: shown },
			h('b', null, video ? '▶' : '◌'),
			h('span', null, shown),
		);
	if (video || !/^(https?:|\/fetched\/)/i.test(link)) return fallback();
	const image = h('img', { src: link, alt });
	image.addEventListener('error', () => image.replaceWith(fallback()));
	return image;
}

function pictures({ request, media }) {
	const urls = Array.isArray(request.media_urls) ? request.media_urls.map(String) : [];
	const fetched = (url, index) => {
		const file = media?.[index]?.file;
		return file ? `/fetched/${file}` : url;
	};
	if (urls.length === 0) return h('div', { class: 'media none' }, h('span', null, 'Aa'));
	const alt = String(request.exclusive?.alt_text ?? '');
	const count = urls.length > 1 ? h('span', { class: 'count' }, `${urls.length} media`) : undefined;
	const strip = h(
		'div',
		{ class: 'strip', tabindex: urls.length > 1 ? 0 : undefined },
		urls.map((url, index) => picture(fetched(url, index), alt)),
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

function card(post) {
	const { request } = post;
	const account = String(request.social_account_id ?? 'no account');
	const steps = post.history.map(({ status, at }) =>
		h('li', { class: status, title: moment(at) }, `${status} ${time(at)}`),
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
			badge(post.status),
		),
		pictures(post),
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

function deliveryLine(delivery) {
	const attempts = delivery.attempts.map(({ status, error }) => status ?? error ?? '…');
	return h(
		'li',
		null,
		badge(delivery.state),
		h('b', null, delivery.event ?? 'raw body'),
		h('span', { class: 'detail' }, attempts.length > 0 ? attempts.join(' → ') : 'in progress'),
		h('time', null, delivery.attempts[0] ? time(delivery.attempts[0].at) : ''),
	);
}

function requestLine(request) {
	const outcome = request.status === null ? 'cut' : request.status < 400 ? 'ok' : 'bad';
	return h(
		'li',
		null,
		h('span', { class: `badge ${outcome}` }, String(request.status ?? '–')),
		h('b', null, request.operation === 'other' ? request.path : request.operation),
		h('span', { class: 'detail' }, request.fault ? `fault: ${request.fault}` : ''),
		h('time', null, time(request.at)),
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
		deliveries: state.counts.deliveries,
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
		draw('posts', state.posts.slice(-SHOWN_POSTS).reverse(), (post) => post.action_sn, card);
		const deliveries = state.deliveries.map((delivery, n) => ({ ...delivery, n }));
		draw('deliveries', deliveries.slice(-SHOWN_LINES).reverse(), ({ n }) => n, deliveryLine);
		draw('requests', state.requests.slice(-SHOWN_LINES).reverse(), ({ id }) => id, requestLine);
	} catch {
		status.textContent = 'not reachable';
		status.className = 'lost';
	}
	setTimeout(refresh, REFRESH_MS);
}

void refresh();
