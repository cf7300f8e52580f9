import { isLonger } from '../items/values';
import { decodeEntities } from './htmlEntities';

/** The photo platform accepts captions up to this length, in code points. */
export const MAX_CAPTION = 2200;

export const MAX_HASHTAGS = 30;

/**
 * A hashtag in any script, with the joiners of Persian and Sinhala, but without the variation
 * selector and the keycap of an emoji. The photo platform does not link a hashtag that has only
 * digits.
 */
export const HASHTAG =
	/[#＃](?:(?![\ufe0e\ufe0f\u20e3])[\p{L}\p{M}\p{Nd}_]|(?<=[\p{L}\p{M}])[\u200c\u200d](?=\p{L}))+/gu;

/** A hashtag that has only digits and is not part of a word, a link or an entity. */
export const DIGITS_TAG = /(?<![\p{L}\p{M}\p{Nd}_&/])[#＃]\d+(?![\p{L}\p{M}\p{Nd}_])/u;

/** Tags and entities that people do not write in ordinary text. */
const HTML =
	/<\/?(?:a|b|blockquote|br|div|em|figure|h[1-6]|hr|i|img|li|ol|p|pre|script|span|strong|style|u|ul)[\s/>]|&(?:#x?[\da-f]{2,6}|[a-z]{2,}\d*);/i;

/** A letter, digit or emoji. */
const WORDS = /[\p{L}\p{N}\p{Extended_Pictographic}\p{RI}]/u;

/**
 * A comment, a declaration, or a tag with its slash, name and attributes. `</br>` counts as a start
 * tag, and a script may write the start tag of another one as a text.
 */
const TAG =
	/<!--(?:-?>|[^]*?(?:-->|$))|<[!?][^<>]*>|<(?:\/(?=br\b)|(\/?))([a-z][a-z\d:-]*)(?<!["']<script)(?=\s|\/?>)((?:[^<>"']|"(?:[^"<]|<(?!\/s))*"|'(?:[^'<]|<(?!\/s))*')*)>/i;

const BLOCK =
	/^(?:address|article|aside|blockquote|center|d[dlt]|details|dialog|div|fieldset|fig(?:caption|ure)|footer|form|h[1-6r]|header|legend|li|main|menu|nav|[ou]l|p|pre|section|summary|t(?:able|body|foot|head|r))$/;

/**
 * Elements of HTML that are not blocks. A name with a colon or hyphen belongs to an extension of
 * HTML.
 */
const INLINE =
	/[:-]|^(?:a|abbr|acronym|area|b|base|bdi|bdo|big|body|br|button|caption|cite|code|col|colgroup|data|del|dfn|em|embed|font|frame|html|i|img|input|ins|kbd|keygen|label|link|map|mark|meta|meter|nobr|optgroup|option|output|param|picture|progress|q|r[bpt]|rtc|ruby|s|samp|small|source|span|strike|strong|su[bp]|t[dht]|time|track|u|var|w?br)$/;

/**
 * An element that a browser does not show, or shows as deleted: its name, the attribute `hidden`, or
 * the class of a link to the rest of an article.
 */
const HIDDEN =
	/^(?:(?:audio|canvas|datalist|del|head|iframe|math|noscript|object|rp|s|script|select|strike|style|svg|template|textarea|title|video)(?![\w:-])|(?:[^"']|"[^"]*"|'[^']*')*?\shidden(?![\w-])|a\s[^]*\bclass\s*=\s*["'][^"']*\b(?:more-link|read-?more)\b)/i;

const ALT = /(?<![\w-])alt\s*=\s*(["'])([^]*?)\1/i;

/** An image that shows an emoji has a class of WordPress, or comes from a folder for emoji. */
const SMILEY = /\b(?:class|src)\s*=\s*["'][^"']*(?<![\w-])(?:emoji|wp-smiley|notoemoji)(?![\w-])/i;

/**
 * Shortcodes of WordPress that are removed: media with their content, end tags, and start tags with
 * attributes, such as `[caption width="300"]`.
 */
const SHORTCODE =
	/\[(audio|embed|gallery|playlist|video)\b[^[\]]*\][^[]*\[\/\1\]|\[(?:gallery|playlist|\/[a-z][\w-]*|[a-z][\w-]*(?=[^[\]<>]*\])\s(?:[^[\]<>]*\s)?(?:[\w-]+=[^[\]<>]*|\/))\]/g;
const END_SHORTCODE = /(?<=\[\/)[a-z][\w-]*(?=\])/g;
const START_SHORTCODE = /\[([a-z][\w-]*)(?:\s[^[\]<>]*)?\]/g;

/** The whole text of a link to the rest of an article, which may quote the article's title. */
const MORE =
	/^[^\p{L}]*(?:(?:continue|keep) reading(?: on \S+)?|read (?:more|on|the (?:rest|full)(?: (?:of|this|the|article|entry|post|story))*)|more…|weiterlesen|mehr (?:lesen|erfahren)|lire la suite|leer más|seguir leyendo|leia mais|continue lendo|continua a leggere|leggi tutto|lees (?:meer|verder)|继续阅读|阅读(?:更多|全文)|繼續閱讀|閱讀更多|続きを読む|계속 읽기|[إا]قرأ المزيد|(?:تابع|متابعة) القراءة)[^\p{L}\p{N}]*(?:[“„«"「『].*)?$/isu;

/** Characters for private use mark breaks, list items and links while HTML is converted. */
const [PARAGRAPH, LINE, BREAK, BULLET, LINK, LINK_END] = [
	'\ue001',
	'\ue002',
	'\ue003',
	'\ue004',
	'\ue005',
	'\ue006',
];
const SPACES = /[\s\ue001-\ue004]{2,}|[\n\xa0\ue001-\ue004]/g;
const TWO_BREAKS = /\ue001|\ue003[^]*\ue003|\n[^]*\n/;
const ONE_BREAK = /[\ue002\ue003\n]/;
const MARKS = /[\ue001-\ue006]|<!\[CDATA\[|\]\]>/g;
const LINK_MARKS = /[\ue005\ue006]/g;

/** A link at the end of a line, after a sentence. */
const LAST_LINK =
	/(?<=(?:^|[\n.!?…。！？؟।»”"')\]\ue001-\ue003]) ?)\ue005([^\ue005\ue006]*)\ue006(?=[^\S\n]*(?:[\n\ue001-\ue003]|$))/g;

/** The mark of an automatic excerpt at the end of a line. */
const CUT_MARK = /\[(?:…|\.{3})\]$/gm;

/** Removes the shortcodes of WordPress. Brackets without attributes and without an end tag stay. */
function withoutShortcodes(text: string) {
	const names = new Set(text.match(END_SHORTCODE));
	return text
		.replace(SHORTCODE, '')
		.replace(START_SHORTCODE, (all, name: string) => (names.has(name) ? '' : all));
}

/** The mark of a tag, or the emoji of an image. */
function markOf(name: string, slash: string | undefined, attributes: string, isInList: boolean) {
	if (name === 'br') return BREAK;
	if (name === 'a') return slash ? LINK_END : LINK;
	if (name === 'li' && !slash) return LINE + BULLET;
	if (name === 'p' && !isInList) return PARAGRAPH;
	if (name !== 'img') return BLOCK.test(name) ? LINE : /^t[dh]$/.test(name) ? ' ' : '';
	return SMILEY.test(attributes) ? decodeEntities(ALT.exec(attributes)?.[2] ?? '') : '';
}

/**
 * Converts HTML to text like the `innerText` of a browser, with bullets before list items. Line
 * breaks outside of all elements stay, because people write them around expressions. An element
 * without an end tag contains nothing; before an end tag without a start tag, line breaks become
 * spaces. A bare tag that HTML does not know, such as `<T>`, is text.
 */
export function htmlToText(html: string) {
	const parts = withoutShortcodes(html).replace(MARKS, '').split(TAG);
	// The tags are read from the last to the first, so that a start tag knows whether it has an end.
	let marked = '';
	/** The texts after the end tags whose start tag is not found yet, by name. */
	const ends: Record<string, string[]> = {};
	const endsOf = (name: string) => (ends[`<${name}`] ??= []);
	let depth = 0;
	for (let at = parts.length - 1; at >= 0; at -= 4) {
		const text = parts[at]!;
		marked =
			decodeEntities(depth > 0 && endsOf('pre').length === 0 ? text.replace(/\n/g, ' ') : text) +
			marked;
		const [slash, tag, attributes = ''] = parts.slice(at - 3, at);
		if (!tag) continue;
		const name = tag.toLowerCase();
		const open = endsOf(name);
		let mark = markOf(name, slash, attributes, endsOf('ul').length + endsOf('ol').length > 0);
		if (slash) {
			open.push(marked);
			depth += 1;
		} else if (open.length > 0) {
			const end = open.pop()!;
			depth -= 1;
			if (HIDDEN.test(tag + attributes)) {
				marked = end;
				continue;
			}
		} else if (!attributes && !BLOCK.test(name) && !INLINE.test(name)) mark = `<${tag}>`;
		marked = mark + marked;
	}
	const words = marked
		.replace(LAST_LINK, (_, link: string) => (MORE.test(link) ? '' : link))
		.replace(LINK_MARKS, '');
	const toSpace = (spaces: string) => {
		const breaks = TWO_BREAKS.test(spaces) ? '\n\n' : ONE_BREAK.test(spaces) ? '\n' : ' ';
		return spaces.includes(BULLET) ? `${breaks}• ` : breaks;
	};
	return words.replace(SPACES, toSpace).trim().replace(CUT_MARK, '…');
}

/** The front matter of a page, and the marks of quotes. */
const BEFORE_TEXT = /(?<![^])---\n(?:(?:[\w-]+:|[ \t#-]).*\n)+?---(?:\n|$)|^(?:[ \t]*>)+ ?/gm;

/** A code block, inline code, an escaped character, or the address of a link. */
const CODE =
	/^[ \t]*([-*+•] +|\d+[.)] +)?(`{3,}(?!`)|~{3,}(?!~))[^`\n]*\n([^]*?)(?:^[ \t]*\2[`~]*[ \t]*$|(?![^]))|(?<!`)(`{1,3})(?!`)((?:(?!\n\n)[^])*?[^`])\4(?!`)|\\([!-/:-@[-`{-~])|(?<=:\/\/)[\w./-]+/gm;

/** A table: its first line, the line below that, and the others. */
const TABLE = /^([^|\n]*\|.*)\n(?=.*-)(?=.*\|)[|: \t-]+$((?:\n[^|\n]*\|.*)*)/gm;
const CELL_END = /[ \t]*\|[ \t]*/g;

/** The definition of a link or a footnote. */
const DEFINITION =
	/^ {0,3}\[(?:\^[^\]\n]+\]:.*|([^\]\n]+)\]:[ \t]*(?:<.*>|[^\s/#@]*[/#@]\S*|[\w-]+\.\w+)(?:[ \t]+["'(].*)?[ \t]*$)/gm;

const ITEM = /^[ \t]*[-*+][ \t]+(?:\[[ xX]\][ \t]+)?/gm;

/** A rule, the marks of a heading or of a line break, an image, or a reference to a footnote. */
const MARK =
	/^ {0,3}(?:(?:=+|-{2,}|(?:[-*_] *){3,})$|#{1,6}[ \t]+)| #+$|\\$|!\[[^[\]]*\](?:\([^()]*(?:\([^()]*\)[^()]*)?\)|\[[^[\]]*\])|\[\^[^[\]\s]+\]/gm;

/** A link with its text and its target, or an address in angle brackets. */
const ANCHOR =
	/\[([^[\]]*)\](\([^()]*(?:\([^()]*\)[^()]*)?\)|\[[^[\]]*\])?|<(https?:[^<>\s]+|[^<>\s@]+@[^<>\s]+)>/g;

/** Emphasis with one mark, which is not inside a word, or with two marks, within a paragraph. */
const EMPHASIS =
	/(?<![\p{L}\p{N}*_])([*_])(?=[^\s*_])((?:[^*_\n]|\n(?!\n))*[^\s*_])\1(?![\p{L}\p{N}*_])|(\*\*|(?<![\p{L}\p{N}])__|~~)(?=\S)((?:(?!\3|\n\n)[^])*\S)\3/gu;

/** Characters for private use replace the punctuation of code until all marks are removed. */
const PUNCTUATION = /[!-/:-@[-`{-~]/g;
const REPLACED = /[\ue021-\ue07e]/g;
const swap = (one: string) => String.fromCharCode(one.charCodeAt(0) ^ 0xe000);

/** Removes the marks of Markdown. Line breaks stay, and a line that starts with a hashtag is no heading. */
export function markdownToText(markdown: string) {
	const labels = new Set<string>();
	let text = markdown
		.replace(BEFORE_TEXT, '')
		.replace(CODE, (all: string, item = '', _, block?: string, __?, code?: string, one?: string) =>
			one ? swap(one) : item + (block ?? code ?? all).replace(PUNCTUATION, swap),
		)
		.replace(TABLE, (_, head: string, rows: string) => (head + rows).replace(CELL_END, ' '))
		.replace(DEFINITION, (_, label: string) => {
			labels.add(label);
			return '';
		})
		.replace(MARK, '')
		.replace(ITEM, '• ')
		.replace(ANCHOR, (all, words: string, target, address?: string) =>
			target || labels.has(words) ? words : (address ?? all),
		);
	// Emphasis may contain other emphasis.
	for (let depth = 0; depth < 3; depth++) text = text.replace(EMPHASIS, '$2$4');
	return htmlToText(text).replace(REPLACED, swap);
}

/**
 * Characters that are removed from a hashtag: keycaps, and all but letters, digits and the joiners
 * between letters.
 */
const NO_TAG =
	/[#*\d]\ufe0f?\u20e3|[\ufe0e\ufe0f\u20e3]|(?<![\p{L}\p{M}])[\u200c\u200d]|[\u200c\u200d](?!\p{L})|[^\p{L}\p{M}\p{Nd}_\u200c\u200d]/gu;

/** The hashtags of a list, or of one text with commas or spaces. An emoji stays, to be reported. */
function hashtagsOf(given: unknown) {
	const text = decodeEntities([given].flat().join('\n'));
	const isList = Array.isArray(given) || /[,，،、;；\n]|[#＃][^\s#＃]/.test(text);
	return text.split(isList ? /[,，،、;；\n]+|(?=[#＃][^\s#＃])/ : /\s+/).map((entry) => {
		const spelled = entry.replace(/(?<=\p{L})\+\+/gu, 'pp').replace(/(?<=\p{L})#/gu, 'sharp');
		return `#${spelled.replace(NO_TAG, '') || entry.replace(/[\s\p{P}\p{Sm}]/gu, '')}`;
	});
}

/** Links and hashtags at the end of a text. */
const TAIL = /(?:\s+|(?<=[^!-~\s]))(?:https?:\/\/|[#＃])\S+(?:\s+(?:https?:\/\/|[#＃])\S+)*\s*$/;

/** Matches a text without its last sentence, or without its last word unless that is very long. */
const CUT =
	/^(?:[^]{1700,}(?:[.!?…؟।]["”’»)\]]*(?=\s)|[。！？][」』”]?)|[^]*(?=\s(?:\S{0,60}|(?:https?:|[#＃])\S*)$))/;

/**
 * Shortens a text to the length that the photo platform accepts: at the end of a sentence or a word,
 * or between two characters where a language has no spaces. Links and hashtags at its end stay.
 */
function shortenCaption(text: string) {
	if (!isLonger(text, MAX_CAPTION)) return text;
	const [tail = ''] = TAIL.exec(text.slice(-MAX_CAPTION / 2)) ?? [];
	const max = MAX_CAPTION - tail.length - 2;
	const { length } = [...text.slice(0, 2 * max)].slice(0, max).join('');
	const [cut = ''] = CUT.exec(text.slice(0, length + 1)) ?? [];
	const characters = new Intl.Segmenter().segment(text.slice(0, length + 2));
	const kept = cut.trimEnd() || text.slice(0, characters.containing(length)?.index);
	return `${kept.replace(/(?<=[ -~])$/, ' ')}…${tail}`;
}

/**
 * Creates the caption of a post from the text and its options.
 *
 * @returns warnings about what people would see, and about hashtags that are left out
 */
export function captionOf(
	given: string,
	{ textFormat, hashtags, shortenText }: Record<string, unknown>,
) {
	let text = given.replace(/(?<![^\S\n])[^\S\n]+\n/g, '\n');
	if (textFormat === 'html') text = htmlToText(text);
	if (textFormat === 'markdown') text = markdownToText(text);
	const present = text.replace(/https?:\S+/g, '').match(HASHTAG) ?? [];
	const keyOf = (tag: string) => tag.normalize('NFKC').toLowerCase();
	const known = new Set(['#', ...present.map(keyOf)]);
	const added: string[] = [];
	const left: string[] = [];
	// Hashtags must not hide that nothing is left of a text.
	for (const tag of hashtags && (text || !given.trim()) ? hashtagsOf(hashtags) : []) {
		if (known.has(keyOf(tag))) continue;
		known.add(keyOf(tag));
		const fits = present.length + added.length < MAX_HASHTAGS && /\p{L}/u.test(tag);
		(fits ? added : left).push(tag);
	}
	const all = [text, added.join(' ')].filter(Boolean).join('\n\n');
	const advice =
		textFormat === 'html' ? 'it was probably encoded twice' : "'Text Format' HTML converts it";
	return {
		value: String(shortenText) === 'true' ? shortenCaption(all) : all,
		warnings: [
			HTML.test(text) && `contains HTML, which would be visible in the post; ${advice}`,
			all !== '' && !WORDS.test(all) && 'contains no letter, digit or emoji',
			left.length > 0 &&
				`is posted without ${left.join(' ').slice(0, 300)}: the photo platform accepts ${MAX_HASHTAGS} hashtags, and each needs a letter`,
		].filter((warning) => warning !== false),
	};
}
