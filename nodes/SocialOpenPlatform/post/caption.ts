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

/** A comment, a declaration, or a tag with its slash, name and attributes. */
const TAG =
	/<!--(?:-?>|[^]*?(?:-->|$))|<[!?][^<>]*>|<(\/?)([a-z][a-z\d:-]*)(?=\s|\/?>)((?:[^<>"']|"(?:[^"<]|<(?!\/s))*"|'(?:[^'<]|<(?!\/s))*')*)>/i;

const BLOCK =
	/^(?:address|article|aside|blockquote|center|d[dlt]|details|dialog|div|fieldset|fig(?:caption|ure)|footer|form|h[1-6r]|header|legend|li|main|menu|nav|[ou]l|p|pre|section|summary|t(?:able|body|foot|head|r))$/;

/**
 * Elements of HTML that are not blocks. A name with a colon or hyphen belongs to an extension of
 * HTML.
 */
const INLINE =
	/[:-]|^(?:a|abbr|acronym|area|b|base|bdi|bdo|big|body|br|button|caption|cite|code|col|colgroup|data|del|dfn|em|embed|font|frame|html|i|img|input|ins|kbd|keygen|label|link|map|mark|meta|meter|nobr|optgroup|option|output|param|picture|progress|q|r[bpt]|rtc|ruby|s|samp|small|source|span|strike|strong|su[bp]|t[dht]|time|track|u|var|w?br)$/;

/** Elements that a browser does not show, or shows as deleted. */
const SKIPPED =
	/^(?:audio|canvas|datalist|del|head|iframe|math|noscript|object|rp|s|script|select|strike|style|svg|template|textarea|title|video)$/;

/** A tag with the attribute `hidden`, or a link with a class for links to the rest of an article. */
const HIDDEN =
	/^(?:(?:[^"']|"[^"]*"|'[^']*')*?\shidden(?![\w-])|a\s[^]*\bclass\s*=\s*["'][^"']*\b(?:more-link|read-?more)\b)/i;
const ALT = /(?<![\w-])alt\s*=\s*(?:"([^"]*)"|'([^']*)')/i;

/** An image that shows an emoji has a class of WordPress, or an emoji as its alternative text. */
const SMILEY = /\bclass\s*=\s*["'][^"']*(?<![\w-])(?:emoji|wp-smiley)(?![\w-])/;
const EMOJI =
	/^(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\u20e3|\u200d|\ufe0f|[\u{e0020}-\u{e007f}]|[#*\d](?=\ufe0f?\u20e3))+$/u;

/** Shortcodes of WordPress, such as `[gallery ids="1,2"]`. */
const MEDIA_SHORTCODE = /\[(audio|embed|gallery|playlist|video)\b[^[\]]*\][^[]*\[\/\1\]/g;
const SHORTCODE = /\[(\/?)([a-z][\w-]*)(\s[^[\]<>]*)?\]/g;
const END_SHORTCODE = /(?<=\[\/)[a-z][\w-]*(?=\])/g;

/** The whole text of a link to the rest of an article, which may quote the article's title. */
const MORE =
	/^[^\p{L}]*(?:(?:continue|keep) reading(?: on \S+)?|read (?:more|on|the (?:rest|full)(?: (?:of|this|the|article|entry|post|story))*)|more…|weiterlesen|mehr (?:lesen|erfahren)|lire la suite|leer más|seguir leyendo|leia mais|continue lendo|continua a leggere|leggi tutto|lees (?:meer|verder)|继续阅读|阅读(?:更多|全文)|繼續閱讀|閱讀更多|続きを読む|계속 읽기|[إا]قرأ المزيد|(?:تابع|متابعة) القراءة)[^\p{L}\p{N}]*(?:[“„«"「『].*)?$/isu;

/** Characters for private use mark breaks, list items and links while HTML is converted. */
const [PARAGRAPH, LINE, BREAK, BULLET] = ['\ue001', '\ue002', '\ue003', '\ue004'];
const [LINK, LINK_END] = ['\ue005', '\ue006'];
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

/** Removes the shortcodes of WordPress. Other brackets stay. */
function withoutShortcodes(text: string) {
	const names = new Set([...(text.match(END_SHORTCODE) ?? []), 'gallery', 'playlist']);
	return text
		.replace(MEDIA_SHORTCODE, '')
		.replace(SHORTCODE, (all, slash, name: string, attributes = '') =>
			slash || names.has(name) || /\s[\w-]+=|\s\/$/.test(attributes as string) ? '' : all,
		);
}

/**
 * Pairs the start tags and end tags of elements.
 *
 * @param parts a text, and for each tag its slash, name and attributes and the text after it
 */
function matchTags(parts: string[]) {
	const open: Record<string, number[]> = {};
	const pairs: number[] = [];
	for (let at = 1; at < parts.length; at += 4) {
		const [slash, tag = ''] = parts.slice(at, at + 2);
		const name = tag.toLowerCase();
		const starts = (open[`<${name}`] ??= []);
		// A script may contain its own start tag as a text.
		if (!slash && (name !== 'script' || starts.length === 0)) starts.push(at);
		const start = slash ? starts.pop() : undefined;
		if (start !== undefined) [pairs[start], pairs[at]] = [at, start];
	}
	return pairs;
}

/**
 * Converts HTML to text like the `innerText` of a browser, with bullets before list items. Line
 * breaks outside of all elements stay, because people write them around expressions. An element
 * without an end tag contains nothing, and a bare tag that HTML does not know, such as `<T>`, is
 * text.
 */
export function htmlToText(html: string) {
	const parts = withoutShortcodes(html).replace(MARKS, '').split(TAG);
	const pairs = matchTags(parts);
	// The positions at which the elements around the current tag end.
	let [element, pre, list] = [0, 0, 0];
	let marked = decodeEntities(parts[0]!);
	for (let at = 1; at < parts.length; at += 4) {
		const [slash, tag = '', attributes = ''] = parts.slice(at, at + 3);
		const name = tag.toLowerCase();
		const pair = pairs[at] ?? -1;
		element = Math.max(element, pair);
		if (/^[ou]l$/.test(name)) list = Math.max(list, pair);
		if (name === 'pre') pre = pair;
		if (pair > at && (SKIPPED.test(name) || HIDDEN.test(tag + attributes))) at = pair;
		else if (pair < 0 && !attributes && !BLOCK.test(name) && !INLINE.test(name)) {
			marked += tag && `<${slash}${tag}>`;
		} else if (name === 'br') marked += BREAK;
		else if (name === 'a') marked += slash ? LINK_END : LINK;
		else if (name === 'img') {
			const alt = decodeEntities((ALT.exec(attributes) ?? []).slice(1).join(''));
			if (SMILEY.test(attributes) || EMOJI.test(alt)) marked += alt;
		} else if (name === 'li' && !slash) marked += LINE + BULLET;
		else if (name === 'p' && at >= list) marked += PARAGRAPH;
		else if (BLOCK.test(name)) marked += LINE;
		else if (/^t[dh]$/.test(name)) marked += ' ';
		const text = parts[at + 3]!;
		marked += decodeEntities(at < element && at >= pre ? text.replace(/\n/g, ' ') : text);
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

/** A rule, and the marks of a heading or of a line break. */
const RULE = /^ {0,3}(?:(?:=+|-{2,}|(?:[-*_] *){3,})$|#{1,6}[ \t]+)| #+$|\\$/gm;
const ITEM = /^[ \t]*[-*+][ \t]+(?:\[[ xX]\][ \t]+)?/gm;

const MARKDOWN_IMAGE =
	/!\[[^[\]]*\](?:\([^()]*(?:\([^()]*\)[^()]*)?\)|\[[^[\]]*\])|\[\^[^[\]\s]+\]/g;
const ANCHOR = /\[([^[\]]*)\](\([^()]*(?:\([^()]*\)[^()]*)?\)|\[[^[\]]*\])?/g;
const ADDRESS = /<(https?:[^<>\s]+|[^<>\s@]+@[^<>\s]+)>/g;

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
		.replace(RULE, '')
		.replace(ITEM, '• ')
		.replace(MARKDOWN_IMAGE, '')
		.replace(ANCHOR, (all, words: string, target) => (target || labels.has(words) ? words : all))
		.replace(ADDRESS, '$1');
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
	const entries = [given ?? []].flat().map((entry) => decodeEntities(`${entry as string}`));
	const isList = Array.isArray(given) || /[,，،、;；\n]|[#＃][^\s#＃]/.test(entries[0] ?? '');
	return entries
		.flatMap((entry) => entry.split(isList ? /[,，،、;；\n]+|(?=[#＃][^\s#＃])/ : /\s+/))
		.map((entry) => {
			const spelled = entry.replace(/(?<=\p{L})\+\+/gu, 'pp').replace(/(?<=\p{L})#/gu, 'sharp');
			return `#${spelled.replace(NO_TAG, '') || entry.replace(/[\s\p{P}\p{Sm}]/gu, '')}`;
		})
		.filter((tag) => tag !== '#');
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
	const [found = ''] = TAIL.exec(text.slice(-MAX_CAPTION)) ?? [];
	const tail = found.length < MAX_CAPTION / 2 ? found : '';
	const max = MAX_CAPTION - tail.length - 2;
	const { length } = [...text.slice(0, 2 * max)].slice(0, max).join('');
	const [cut = ''] = CUT.exec(text.slice(0, length + 1)) ?? [];
	const characters = new Intl.Segmenter().segment(text.slice(0, length + 2));
	const kept = cut.trimEnd() || text.slice(0, characters.containing(length)?.index);
	return `${kept}${/[ -~]$/.test(kept) ? ' …' : '…'}${tail}`;
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
	const keyOf = (tag: string) => tag.slice(1).normalize().toLowerCase();
	const known = new Set(present.map(keyOf));
	const added: string[] = [];
	const left: string[] = [];
	// Hashtags must not hide that nothing is left of a text.
	for (const tag of text || !given.trim() ? hashtagsOf(hashtags) : []) {
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
				`is posted without ${left.join(' ')}: the photo platform accepts ${MAX_HASHTAGS} hashtags, and each needs a letter`,
		].filter((warning) => warning !== false),
	};
}
