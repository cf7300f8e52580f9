import { isLonger } from '../items/values';
import { decodeEntities } from './htmlEntities';

/** The photo platform accepts captions up to this length, in code points. */
export const MAX_CAPTION = 2200;

export const MAX_HASHTAGS = 30;

/** A hashtag in any script. The photo platform does not link one that has only digits. */
export const HASHTAG = /[#＃][\p{L}\p{M}\p{Nd}_]+/gu;

/** A hashtag of digits, but not a part of a word, a link or an entity. */
export const DIGITS_TAG = /(?<![\p{L}\p{M}\p{Nd}_&/])[#＃]\d+(?![\p{L}\p{M}\p{Nd}_])/u;

/** Tags and entities that people do not write in ordinary text. */
export const HTML =
	/<\/?(?:a|b|blockquote|br|div|em|figure|h[1-6]|hr|i|img|li|ol|p|pre|script|span|strong|style|u|ul)[\s/>]|&(?:#x?[\da-f]{2,6}|[a-z]{2,}\d*);/i;

const MARKUP = /<(?:!--|\/?[a-z][^<>]*>)|&(?:#x?[\da-f]+|[a-z\d]+);/i;

/**
 * A part of HTML: a comment, an element whose content a browser does not show, a declaration, a tag
 * with its slash, name and attributes, or a text.
 */
const PART =
	/<!--[^]*?(?:-->|$)|<(audio|canvas|datalist|head|iframe|math|noscript|object|rp|script|select|style|svg|template|textarea|title|video)\b(?:[^<>"']|"[^"]*"|'[^']*')*(?<!\/)>[^]*?(?:<\/\1\b[^<>]*>?|$)|<[!?][^<>]*>|<(\/?)([a-z][a-z\d:-]*)(?=\s|\/?>)((?:[^<>"']|"[^"]*"|'[^']*')*)>|([^<]+|<)/gi;

const BLOCK =
	/^(?:address|article|aside|blockquote|center|d[dlt]|details|div|fieldset|fig(?:caption|ure)|footer|form|h[1-6r]|header|legend|li|main|nav|[ou]l|p|pre|section|summary|t(?:able|body|foot|head|r))$/;

/** Elements without an end tag. */
const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/;

/** Shortcodes of WordPress, such as `[gallery ids="1,2"]`. */
const MEDIA_SHORTCODE = /\[(audio|embed|gallery|playlist|video)\b[^[\]]*\][^[]*\[\/\1\]/g;
const SHORTCODE = /\[(\/?)([a-z][\w-]*)(\s[^[\]<>]*)?\]/g;
const END_SHORTCODE = /(?<=\[\/)[a-z][\w-]*(?=\])/g;

/** The texts of links to the rest of an article. */
const MORE =
	/^[^\p{L}]*(?:continue reading|keep reading|read (?:more|on|the (?:rest|full))\b|more…|weiterlesen|mehr (?:lesen|erfahren)|lire la suite|leer más|seguir leyendo|leia mais|continue lendo|continua a leggere|leggi tutto|lees (?:meer|verder)|继续阅读|阅读(?:更多|全文)|繼續閱讀|閱讀更多|続きを読む|계속 읽기|(?:اقرأ|إقرأ|تابع|متابعة) )/iu;

const MORE_CLASS = /\bclass\s*=\s*["'][^"']*\b(?:more-link|read-?more)\b/i;

const ALT = /(?<![\w-])alt\s*=\s*(?:"([^"]*)"|'([^']*)')/i;

/** An image that shows an emoji has a class of WordPress, or an emoji as its alternative text. */
const SMILEY = /\bclass\s*=\s*["'][^"']*(?<![\w-])(?:emoji|wp-smiley)(?![\w-])/;
const EMOJI =
	/^(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\u20e3|\u200d|\ufe0f|[\u{e0020}-\u{e007f}]|[#*\d](?=\ufe0f?\u20e3))+$/u;

/** Characters for private use mark breaks, list items and links while HTML is converted. */
const [PARAGRAPH, LINE, BREAK, BULLET] = ['\ue001', '\ue002', '\ue003', '\ue004'];
const [LINK, MORE_LINK, LINK_END] = ['\ue005', '\ue006', '\ue007'];
const SPACES = /[\s\ue001-\ue004]{2,}|[\n\xa0\ue001-\ue004]/g;
const TWO_BREAKS = /\ue001|\ue003[^]*\ue003|\n[^]*\n/;
const ONE_BREAK = /[\ue002\ue003\n]/;
const LINKS = /([\ue005\ue006])([^\ue005-\ue007]*)\ue007(?=[^\S\n]*([\n\ue001-\ue003]|$)?)/g;
const MARKS = /[\ue001-\ue007]|<!\[CDATA\[|\]\]>/g;
const LINK_MARKS = /[\ue005-\ue007]/g;

/** The characters after which a link to the rest of an article may follow. */
const ENDS = '\ue001\ue002\ue003\n.!?…。！？؟।»”"\')]';

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
 * Converts HTML to text like the `innerText` of a browser, with bullets before list items. Line
 * breaks outside of all elements stay, because people write them around expressions.
 *
 * @returns the same text if it contains no HTML
 */
export function htmlToText(html: string) {
	const source = withoutShortcodes(html);
	if (!MARKUP.test(source)) return source;
	let [depth, lists, isPre] = [0, 0, false];
	const toMarks = ([, , slash, tag = '', attributes = '', text = '']: RegExpExecArray) => {
		const name = tag.toLowerCase();
		const step = slash ? -1 : 1;
		if (!name) return decodeEntities(text.replace(depth > 0 && !isPre ? /\s+/g : /[^\S\n]+/g, ' '));
		if (!VOID.test(name)) depth = Math.max(0, depth + step);
		if (/^[ou]l$/.test(name)) lists += step;
		if (name === 'pre') isPre = !slash;
		if (name === 'br') return BREAK;
		if (name === 'a') return slash ? LINK_END : MORE_CLASS.test(attributes) ? MORE_LINK : LINK;
		if (name === 'img') {
			const alt = decodeEntities((ALT.exec(attributes) ?? []).slice(1).join(''));
			return SMILEY.test(attributes) || EMOJI.test(alt) ? alt : '';
		}
		if (name === 'li' && !slash) return LINE + BULLET;
		if (name === 'p' && lists <= 0) return PARAGRAPH;
		return BLOCK.test(name) ? LINE : /^t[dh]$/.test(name) ? ' ' : '';
	};
	const toSpace = (spaces: string) => {
		const breaks = TWO_BREAKS.test(spaces) ? '\n\n' : ONE_BREAK.test(spaces) ? '\n' : ' ';
		return spaces.includes(BULLET) ? `${breaks}• ` : breaks;
	};
	const marked = Array.from(source.replace(MARKS, '').matchAll(PART), toMarks).join('');
	const text = marked.replace(LINKS, (_, kind, words: string, after, at: number) => {
		const before = marked[marked[at - 1] === ' ' ? at - 2 : at - 1] ?? '\n';
		const isMore = MORE.test(words) && after !== undefined && ENDS.includes(before);
		return isMore || kind === MORE_LINK ? '' : words;
	});
	return tidy(text.replace(LINK_MARKS, '').replace(SPACES, toSpace));
}

/** Removes spaces and cut marks at the ends of lines, and all but one of several blank lines. */
function tidy(text: string) {
	return text
		.split('\n')
		.map((line) =>
			line
				.trim()
				.replace(/ ?\[(?:…|\.{3})\]$/, '')
				.replace(/ {2,}/g, ' '),
		)
		.join('\n')
		.replace(/\n{3,}/g, '\n\n')
		.trim();
}

/** A block of code, code in a line, or an escaped character. */
const CODE =
	/^ {0,3}(```|~~~).*\n([^]*?)(?:^ {0,3}\1.*$|(?![^]))|`([^`]+)`|\\([!-/:-@[-`{-~\n])|(?<=:\/\/)[\w./-]+/gm;

/** A line without text: a heading's underline, a rule, or the definition of a link. */
const MARKS_ONLY = /^ {0,3}(?:=+|-{2,}|(?:[-*_] *){3,}|\[[^\]\n]+\]:[ \t].*)$/gm;

/** The marks around the text of a line: of quotes and headings. */
const LINE_MARKS = /^(?: {0,3}> ?)+|^ {0,3}#{1,6}[ \t]+| #+$/gm;
const ITEM = /^[ \t]*[-*+][ \t]+(?:\[[ xX]\][ \t]+)?/gm;

const MARKDOWN_IMAGE = /!\[[^[\]]*\](?:\([^()]*(?:\([^()]*\)[^()]*)?\)|\[[^[\]]*\])/g;
const ANCHOR =
	/\[([^[\]]*)\](?:\([^()]*(?:\([^()]*\)[^()]*)?\)|\[[^[\]]*\])|<(https?:[^<>\s]+|[^<>\s@]+@[^<>\s]+)>/g;

/** Emphasis with one mark, which is not inside of a word, or with two. */
const EMPHASIS =
	/(?<![\p{L}\p{N}*_])([*_])(?=[^\s*_])([^*_\n]*[^\s*_])\1(?![\p{L}\p{N}*_])|(\*\*|(?<![\p{L}\p{N}])__|~~)(?=\S)((?:(?!\3)[^\n])*\S)\3/gu;

/** Characters for private use replace the punctuation of code until all marks are removed. */
const PRIVATE = 0xe000;

/** Removes the marks of Markdown. Line breaks stay, and a line that starts with a hashtag is no heading. */
export function markdownToText(markdown: string) {
	const shift = (text: string, characters: RegExp, by: number) =>
		text.replace(characters, (one) => String.fromCharCode(one.charCodeAt(0) + by));
	let text = markdown
		.replace(CODE, (all, _, block?: string, code?: string, escaped = all) =>
			shift(block ?? code ?? (escaped as string), /[!-/:-@[-`{-~]/g, PRIVATE),
		)
		.replace(MARKS_ONLY, '')
		.replace(LINE_MARKS, '')
		.replace(ITEM, '• ')
		.replace(MARKDOWN_IMAGE, '')
		.replace(ANCHOR, '$1$2');
	// Emphasis may contain other emphasis.
	for (let depth = 0; depth < 3; depth++) text = text.replace(EMPHASIS, '$2$4');
	return tidy(shift(htmlToText(text), /[\ue021-\ue07e]/g, -PRIVATE));
}

/** The hashtags of a list, or of one text with commas or spaces. */
function hashtagsOf(given: unknown) {
	const entries = [given ?? []].flat().map((entry) => decodeEntities(`${entry as string}`));
	const isList = Array.isArray(given) || /[,，،、;；\n#＃]/.test(entries[0] ?? '');
	return entries
		.flatMap((entry) => entry.split(isList ? /[,，،、;；\n]|(?=[#＃])/ : /\s+/))
		.map((entry) => `#${entry.replace(/[^\p{L}\p{M}\p{Nd}_]+/gu, '')}`)
		.filter((tag) => tag !== '#');
}

/** Links and hashtags at the end of a text. */
const TAIL = /(?:\s+|(?<=[^!-~\s]))(?:https?:\/\/|[#＃])\S+(?:\s+(?:https?:\/\/|[#＃])\S+)*\s*$/;

/** A text without its last sentence, or without its last word unless that is very long. */
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
 * @returns a warning if hashtags are left out
 */
export function captionOf(
	given: string,
	{ textFormat, hashtags, shortenText }: Record<string, unknown>,
) {
	let text = given;
	if (textFormat === 'html') text = htmlToText(given);
	if (textFormat === 'markdown') text = markdownToText(given);
	// Hashtags must not hide that nothing is left of a text.
	if (text === '' && given.trim() !== '') return { value: '' };
	const present = text.replace(/https?:\S+/g, '').match(HASHTAG) ?? [];
	const keyOf = (tag: string) => tag.slice(1).normalize().toLowerCase();
	const known = new Set(present.map(keyOf));
	const added: string[] = [];
	const left: string[] = [];
	for (const tag of hashtagsOf(hashtags)) {
		if (known.has(keyOf(tag))) continue;
		known.add(keyOf(tag));
		const fits = present.length + added.length < MAX_HASHTAGS && /\p{L}/u.test(tag);
		(fits ? added : left).push(tag);
	}
	const all = [text, added.join(' ')].filter(Boolean).join('\n\n');
	return {
		value: String(shortenText) === 'true' ? shortenCaption(all) : all,
		warning:
			left.length > 0 &&
			`is posted without ${left.join(' ')}: the photo platform accepts ${MAX_HASHTAGS} hashtags, and each needs a letter`,
	};
}
