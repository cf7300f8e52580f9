import { isLonger, tooLong } from '../items/values';
import { decodeEntities } from './htmlEntities';

/** Maximum length of a caption on the photo platform, in code points. */
const MAX_CAPTION = 2200;

const MAX_HASHTAGS = 30;

/**
 * Matches a hashtag in any script. The hashtag may contain the invisible joiners that Persian and
 * Sinhala need between letters, but not an emoji's variation selector or keycap.
 */
const HASHTAG =
	/[#＃](?:(?![\ufe0e\ufe0f\u20e3])[\p{L}\p{M}\p{Nd}_]|(?<=[\p{L}\p{M}])[\u200c\u200d](?=\p{L}))+/gu;

/**
 * Matches a hashtag that has only digits, which the photo platform shows as text. Such characters
 * in a word, a link or an entity do not match.
 */
const DIGITS_TAG = /(?<![\p{L}\p{M}\p{Nd}_&/])[#＃]\d+(?![\p{L}\p{M}\p{Nd}_])/u;

/** Matches an HTML tag or entity that is unlikely in ordinary text. */
const HTML =
	/<\/?(?:a|b|blockquote|br|div|em|figure|h[1-6]|hr|i|img|li|ol|p|pre|script|span|strong|style|u|ul)[\s/>]|&(?:#x?[\da-f]{2,6}|[a-z]{2,}\d*);/i;

/** Matches a letter, a digit or an emoji. */
const WORDS = /[\p{L}\p{N}\p{Extended_Pictographic}\p{RI}]/u;

/**
 * Matches a comment, a declaration or a tag, and captures a tag's slash, name and attributes.
 * `</br>` is read as a start tag. `<script` directly after a quotation mark is not read as a tag,
 * because a script may contain it in a string.
 */
const TAG =
	/<!--(?:-?>|[^]*?(?:-->|$))|<[!?][^<>]*>|<(?:\/(?=br\b)|(\/?))([a-z][a-z\d:-]*)(?<!["']<script)(?=\s|\/?>)((?:[^<>"']|"(?:[^"<]|<(?!\/s))*"|'(?:[^'<]|<(?!\/s))*')*)>/i;

const BLOCK =
	/^(?:address|article|aside|blockquote|center|d[dlt]|details|dialog|div|fieldset|fig(?:caption|ure)|footer|form|h[1-6r]|header|legend|li|main|menu|nav|[ou]l|p|pre|section|summary|t(?:able|body|foot|head|r))$/;

/**
 * Matches the name of an HTML element that is not a block. A name with a colon or a hyphen also
 * matches, because custom elements and extensions of HTML have such names.
 */
const INLINE =
	/[:-]|^(?:a|abbr|acronym|area|b|base|bdi|bdo|big|body|br|button|caption|cite|code|col|colgroup|data|del|dfn|em|embed|font|frame|html|i|img|input|ins|kbd|keygen|label|link|map|mark|meta|meter|nobr|optgroup|option|output|param|picture|progress|q|r[bpt]|rtc|ruby|s|samp|small|source|span|strike|strong|su[bp]|t[dht]|time|track|u|var|w?br)$/;

/**
 * Matches the name and attributes of an element whose content is left out: an element such as a
 * script or a video, deleted text, an element with the attribute `hidden`, or a link whose class
 * shows that it leads to the rest of an article.
 */
const HIDDEN =
	/^(?:(?:audio|canvas|datalist|del|head|iframe|math|noscript|object|rp|s|script|select|strike|style|svg|template|textarea|title|video)(?![\w:-])|(?:[^"']|"[^"]*"|'[^']*')*?\shidden(?![\w-])|a\s[^]*\bclass\s*=\s*["'][^"']*\b(?:more-link|read-?more)\b)/i;

const ALT = /(?<![\w-])alt\s*=\s*(["'])([^]*?)\1/i;

/**
 * Matches the attributes of an image that shows an emoji: a class or an address that contains a
 * name such as `emoji` or `wp-smiley`.
 */
const SMILEY = /\b(?:class|src)\s*=\s*["'][^"']*(?<![\w-])(?:emoji|wp-smiley|notoemoji)(?![\w-])/i;

/**
 * Matches the WordPress shortcodes that are always removed: media with their content, galleries,
 * playlists, end tags, and start tags that have attributes or end with a slash, such as
 * `[caption width="300"]`.
 */
const SHORTCODE =
	/\[(audio|embed|gallery|playlist|video)\b[^[\]]*\][^[]*\[\/\1\]|\[(?:gallery|playlist|\/[a-z][\w-]*|[a-z][\w-]*(?=[^[\]<>]*\])\s(?:[^[\]<>]*\s)?(?:[\w-]+=[^[\]<>]*|\/))\]/g;
const END_SHORTCODE = /(?<=\[\/)[a-z][\w-]*(?=\])/g;
const START_SHORTCODE = /\[([a-z][\w-]*)(?:\s[^[\]<>]*)?\]/g;

/**
 * Matches the whole text of a link to the rest of an article. The text may end with the article's
 * title in quotation marks.
 */
const MORE =
	/^[^\p{L}]*(?:(?:continue|keep) reading(?: on \S+)?|read (?:more|on|the (?:rest|full)(?: (?:of|this|the|article|entry|post|story))*)|more…|weiterlesen|mehr (?:lesen|erfahren)|lire la suite|leer más|seguir leyendo|leia mais|continue lendo|continua a leggere|leggi tutto|lees (?:meer|verder)|继续阅读|阅读(?:更多|全文)|繼續閱讀|閱讀更多|続きを読む|계속 읽기|[إا]قرأ المزيد|(?:تابع|متابعة) القراءة)[^\p{L}\p{N}]*(?:[“„«"「『].*)?$/isu;

/** Private-use characters mark breaks, list items and links while HTML is converted. */
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

/** Matches a link at the end of a line, if it follows a sentence or is alone on the line. */
const LAST_LINK =
	/(?<=(?:^|[\n.!?…。！？؟।»”"')\]\ue001-\ue003]) ?)\ue005([^\ue005\ue006]*)\ue006(?=[^\S\n]*(?:[\n\ue001-\ue003]|$))/g;

/** Matches the `[…]` or `[...]` of an automatic excerpt at the end of a line. */
const CUT_MARK = /\[(?:…|\.{3})\]$/gm;

/** Removes WordPress shortcodes. Other text in brackets, such as `[sic]`, stays. */
function withoutShortcodes(text: string) {
	const names = new Set(text.match(END_SHORTCODE));
	return text
		.replace(SHORTCODE, '')
		.replace(START_SHORTCODE, (all, name: string) => (names.has(name) ? '' : all));
}

/**
 * Returns the string that replaces a tag: a marker for a break, a list item or a link, a space for
 * a table cell, the emoji that an image shows, or an empty string.
 */
function markOf(name: string, slash: string | undefined, attributes: string, isInList: boolean) {
	if (name === 'br') return BREAK;
	if (name === 'a') return slash ? LINK_END : LINK;
	if (name === 'li' && !slash) return LINE + BULLET;
	if (name === 'p' && !isInList) return PARAGRAPH;
	if (name !== 'img') return BLOCK.test(name) ? LINE : /^t[dh]$/.test(name) ? ' ' : '';
	return SMILEY.test(attributes) ? decodeEntities(ALT.exec(attributes)?.[2] ?? '') : '';
}

/**
 * Converts HTML to text like a browser's `innerText`, with bullets before list items. Line breaks
 * within an element become spaces, except in `<pre>`. Line breaks outside all elements stay,
 * because people write them around expressions. A start tag without an end tag has no content. An
 * end tag without a start tag closes an element that begins at the start of the text. A start tag
 * with an unknown name, such as `<T>`, stays if it has neither attributes nor an end tag.
 */
export function htmlToText(html: string) {
	const parts = withoutShortcodes(html).replace(MARKS, '').split(TAG);
	// Tags are read from the last to the first, so that each end tag is known before its start tag.
	let marked = '';
	/** The text after each end tag whose start tag has not been found yet, by tag name. */
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

/** Matches the front matter of a Markdown file, or the `>` characters before a quoted line. */
const BEFORE_TEXT = /(?<![^])---\n(?:(?:[\w-]+:|[ \t#-]).*\n)+?---(?:\n|$)|^(?:[ \t]*>)+ ?/gm;

/**
 * Matches code and other text that contains no Markdown: a code block, inline code, an escaped
 * character, or the part of a URL after `://`.
 */
const CODE =
	/^[ \t]*([-*+•] +|\d+[.)] +)?(`{3,}(?!`)|~{3,}(?!~))[^`\n]*\n([^]*?)(?:^[ \t]*\2[`~]*[ \t]*$|(?![^]))|(?<!`)(`{1,3})(?!`)((?:(?!\n\n)[^])*?[^`])\4(?!`)|\\([!-/:-@[-`{-~])|(?<=:\/\/)[\w./-]+/gm;

/** Matches a table: its header, the line below the header, and the other rows. */
const TABLE = /^([^|\n]*\|.*)\n(?=.*-)(?=.*\|)[|: \t-]+$((?:\n[^|\n]*\|.*)*)/gm;
const CELL_END = /[ \t]*\|[ \t]*/g;

/** Matches the definition of a link or a footnote. */
const DEFINITION =
	/^ {0,3}\[(?:\^[^\]\n]+\]:.*|([^\]\n]+)\]:[ \t]*(?:<.*>|[^\s/#@]*[/#@]\S*|[\w-]+\.\w+)(?:[ \t]+["'(].*)?[ \t]*$)/gm;

const ITEM = /^[ \t]*[-*+][ \t]+(?:\[[ xX]\][ \t]+)?/gm;

/**
 * Matches a horizontal rule, the syntax of a heading or a line break, an image, or a reference to a
 * footnote.
 */
const MARK =
	/^ {0,3}(?:(?:=+|-{2,}|(?:[-*_] *){3,})$|#{1,6}[ \t]+)| #+$|\\$|!\[[^[\]]*\](?:\([^()]*(?:\([^()]*\)[^()]*)?\)|\[[^[\]]*\])|\[\^[^[\]\s]+\]/gm;

/**
 * Matches text in brackets, with a link target if there is one, or an address in angle brackets.
 */
const ANCHOR =
	/\[([^[\]]*)\](\([^()]*(?:\([^()]*\)[^()]*)?\)|\[[^[\]]*\])?|<(https?:[^<>\s]+|[^<>\s@]+@[^<>\s]+)>/g;

/** Matches emphasis within a paragraph. A single delimiter matches only outside a word. */
const EMPHASIS =
	/(?<![\p{L}\p{N}*_])([*_])(?=[^\s*_])((?:[^*_\n]|\n(?!\n))*[^\s*_])\1(?![\p{L}\p{N}*_])|(\*\*|(?<![\p{L}\p{N}])__|~~)(?=\S)((?:(?!\3|\n\n)[^])*\S)\3/gu;

/** Matches punctuation in code. Private-use characters replace it until Markdown is removed. */
const PUNCTUATION = /[!-/:-@[-`{-~]/g;
const REPLACED = /[\ue021-\ue07e]/g;
const swap = (one: string) => String.fromCharCode(one.charCodeAt(0) ^ 0xe000);

/**
 * Removes Markdown syntax and converts embedded HTML to text. Line breaks outside HTML elements
 * stay. A line that starts with a hashtag is not a heading.
 */
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
 * Matches the characters that are removed from a hashtag: keycaps, and all other characters except
 * letters, digits, underscores and the joiners between letters.
 */
const NO_TAG =
	/[#*\d]\ufe0f?\u20e3|[\ufe0e\ufe0f\u20e3]|(?<![\p{L}\p{M}])[\u200c\u200d]|[\u200c\u200d](?!\p{L})|[^\p{L}\p{M}\p{Nd}_\u200c\u200d]/gu;

/**
 * Returns the hashtags in a list, or in a string that separates them by commas or spaces. An entry
 * without letters and digits keeps its emoji, so that a warning can show them.
 */
function hashtagsOf(given: unknown) {
	const text = decodeEntities([given].flat().join('\n'));
	const isList = Array.isArray(given) || /[,，،、;；\n]|[#＃][^\s#＃]/.test(text);
	return text.split(isList ? /[,，،、;；\n]+|(?=[#＃][^\s#＃])/ : /\s+/).map((entry) => {
		const spelled = entry.replace(/(?<=\p{L})\+\+/gu, 'pp').replace(/(?<=\p{L})#/gu, 'sharp');
		return `#${spelled.replace(NO_TAG, '') || entry.replace(/[\s\p{P}\p{Sm}]/gu, '')}`;
	});
}

/** Matches links and hashtags at the end of a text. */
const TAIL = /(?:\s+|(?<=[^!-~\s]))(?:https?:\/\/|[#＃])\S+(?:\s+(?:https?:\/\/|[#＃])\S+)*\s*$/;

/**
 * Matches a text up to its last sentence that ends after 1,700 or more characters, or otherwise
 * without its last word. A last word of more than 60 characters prevents the match, unless it is a
 * link or a hashtag.
 */
const CUT =
	/^(?:[^]{1700,}(?:[.!?…؟।]["”’»)\]]*(?=\s)|[。！？][」』”]?)|[^]*(?=\s(?:\S{0,60}|(?:https?:|[#＃])\S*)$))/;

/**
 * Cuts a text to the photo platform's limit: after a sentence or a word if possible, otherwise
 * between two characters. Links and hashtags at its end stay.
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
 * Converts HTML or Markdown in one of a post's texts, adds hashtags, and shortens the result, as
 * the options require.
 *
 * @returns the text, and warnings about visible HTML, missing words and omitted hashtags
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
	// If the conversion leaves no text, hashtags are not added, because they would hide this.
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

/** Returns a warning for each limit of the photo platform that a caption exceeds, or false. */
export const captionLimits = (text: string) => [
	isLonger(text, MAX_CAPTION) && `${tooLong(MAX_CAPTION)}; the option 'Shorten Text' shortens it`,
	(text.match(HASHTAG)?.length ?? 0) > MAX_HASHTAGS &&
		`contains more than ${MAX_HASHTAGS} hashtags`,
	DIGITS_TAG.test(text) &&
		'contains a hashtag without a letter, which the photo platform shows as text',
];
