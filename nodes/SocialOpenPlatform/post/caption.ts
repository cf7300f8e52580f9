import { isLonger } from '../items/values';

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

/** Names of characters and their code points. */
const NAMED = new Map(
	'Alpha:391 Beta:392 Gamma:393 Delta:394 Epsilon:395 Zeta:396 Eta:397 Theta:398 Iota:399 Kappa:39a Lambda:39b Mu:39c Nu:39d Xi:39e Omicron:39f Pi:3a0 Rho:3a1 Sigma:3a3 Tau:3a4 Upsilon:3a5 Phi:3a6 Chi:3a7 Psi:3a8 Omega:3a9 alpha:3b1 beta:3b2 gamma:3b3 delta:3b4 epsilon:3b5 zeta:3b6 eta:3b7 theta:3b8 iota:3b9 kappa:3ba lambda:3bb mu:3bc nu:3bd xi:3be omicron:3bf pi:3c0 rho:3c1 sigmaf:3c2 sigma:3c3 tau:3c4 upsilon:3c5 phi:3c6 chi:3c7 psi:3c8 omega:3c9 AMP:26 LT:3c GT:3e QUOT:22 COPY:a9 REG:ae spades:2660 clubs:2663 diams:2666 lArr:21d0 rArr:21d2 hArr:21d4 sum:2211 radic:221a equiv:2261 sdot:22c5 loz:25ca hairsp:200a numsp:2007 ZeroWidthSpace:200b Abreve:102 abreve:103 Aogon:104 aogon:105 Cacute:106 cacute:107 Ccaron:10c ccaron:10d Dcaron:10e dcaron:10f Dstrok:110 dstrok:111 Eogon:118 eogon:119 Ecaron:11a ecaron:11b Gbreve:11e gbreve:11f Idot:130 imath:131 inodot:131 Lstrok:141 lstrok:142 Nacute:143 nacute:144 Ncaron:147 ncaron:148 Odblac:150 odblac:151 Rcaron:158 rcaron:159 Sacute:15a sacute:15b Scedil:15e scedil:15f Tcedil:162 tcedil:163 Tcaron:164 tcaron:165 Uring:16e uring:16f Udblac:170 udblac:171 Zacute:179 zacute:17a Zdot:17b zdot:17c amp:26 lt:3c gt:3e quot:22 apos:27 hellip:2026 ndash:2013 mdash:2014 lsquo:2018 rsquo:2019 sbquo:201a ldquo:201c rdquo:201d bdquo:201e lsaquo:2039 rsaquo:203a bull:2022 euro:20ac trade:2122 dagger:2020 Dagger:2021 permil:2030 prime:2032 Prime:2033 larr:2190 uarr:2191 rarr:2192 darr:2193 harr:2194 hearts:2665 star:2606 starf:2605 check:2713 ensp:2002 emsp:2003 thinsp:2009 zwnj:200c zwj:200d lrm:200e rlm:200f OElig:152 oelig:153 Scaron:160 scaron:161 Zcaron:17d zcaron:17e Yuml:178 fnof:192 minus:2212 infin:221e ne:2260 le:2264 ge:2265 asymp:2248 commat:40 num:23 excl:21 lpar:28 rpar:29 colon:3a comma:2c period:2e sol:2f lbrack:5b lsqb:5b rbrack:5d rsqb:5d lowbar:5f grave:60 NewLine:a Tab:9 nbsp:a0 iexcl:a1 cent:a2 pound:a3 curren:a4 yen:a5 brvbar:a6 sect:a7 uml:a8 copy:a9 ordf:aa laquo:ab not:ac shy:ad reg:ae macr:af deg:b0 plusmn:b1 sup2:b2 sup3:b3 acute:b4 micro:b5 para:b6 middot:b7 cedil:b8 sup1:b9 ordm:ba raquo:bb frac14:bc frac12:bd frac34:be iquest:bf Agrave:c0 Aacute:c1 Acirc:c2 Atilde:c3 Auml:c4 Aring:c5 AElig:c6 Ccedil:c7 Egrave:c8 Eacute:c9 Ecirc:ca Euml:cb Igrave:cc Iacute:cd Icirc:ce Iuml:cf ETH:d0 Ntilde:d1 Ograve:d2 Oacute:d3 Ocirc:d4 Otilde:d5 Ouml:d6 times:d7 Oslash:d8 Ugrave:d9 Uacute:da Ucirc:db Uuml:dc Yacute:dd THORN:de szlig:df agrave:e0 aacute:e1 acirc:e2 atilde:e3 auml:e4 aring:e5 aelig:e6 ccedil:e7 egrave:e8 eacute:e9 ecirc:ea euml:eb igrave:ec iacute:ed icirc:ee iuml:ef eth:f0 ntilde:f1 ograve:f2 oacute:f3 ocirc:f4 otilde:f5 ouml:f6 divide:f7 oslash:f8 ugrave:f9 uacute:fa ucirc:fb uuml:fc yacute:fd thorn:fe yuml:ff'
		.split(' ')
		.map((pair) => pair.split(':') as [string, string]),
);

/** Browsers show these characters of Windows for the numbers from 128 to 159. */
const WINDOWS = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';

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

/** Decodes entities once. Unknown ones stay. */
function decode(text: string) {
	return text.replace(/&(#x[\da-f]{1,6}|#\d{1,7}|[a-z][a-z\d]*);/gi, (entity, name: string) => {
		const code = Number(
			name.startsWith('#') ? name.replace('#', '0') : `0x${NAMED.get(name) ?? ''}`,
		);
		if (Number.isNaN(code)) return entity;
		const isCharacter = code > 8 && code <= 0x10ffff;
		return WINDOWS[code - 0x80] ?? (isCharacter ? String.fromCodePoint(code) : '\ufffd');
	});
}

/** Removes the shortcodes of WordPress. Other brackets stay. */
function withoutShortcodes(text: string) {
	const closed = text.match(END_SHORTCODE) ?? [];
	const names = new Set([...closed, 'gallery', 'playlist']);
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
		if (!name) return decode(text.replace(depth > 0 && !isPre ? /\s+/g : /[^\S\n]+/g, ' '));
		if (!VOID.test(name)) depth = Math.max(0, depth + step);
		if (/^[ou]l$/.test(name)) lists += step;
		if (name === 'pre') isPre = !slash;
		if (name === 'br') return BREAK;
		if (name === 'a' && slash) return LINK_END;
		if (name === 'a') return MORE_CLASS.test(attributes) ? MORE_LINK : LINK;
		if (name === 'img') {
			const alt = decode((ALT.exec(attributes) ?? []).slice(1).join(''));
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
	const lines = text.split('\n');
	return lines
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

const IMAGE = /!\[[^[\]]*\](?:\([^()]*(?:\([^()]*\)[^()]*)?\)|\[[^[\]]*\])/g;
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
		.replace(IMAGE, '')
		.replace(ANCHOR, '$1$2');
	// Emphasis may contain other emphasis.
	for (let depth = 0; depth < 3; depth++) text = text.replace(EMPHASIS, '$2$4');
	return tidy(shift(htmlToText(text), /[\ue021-\ue07e]/g, -PRIVATE));
}

/** The hashtags of a list, or of one text with commas or spaces. */
function hashtagsOf(given: unknown) {
	const entries = [given ?? []].flat().map((entry) => decode(`${entry as string}`));
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
function shorten(text: string) {
	if (!isLonger(text, MAX_CAPTION)) return text;
	const [found = ''] = TAIL.exec(text.slice(-MAX_CAPTION)) ?? [];
	const tail = found.length < MAX_CAPTION / 2 ? found : '';
	const max = MAX_CAPTION - tail.length - 2;
	const { length } = [...text.slice(0, 2 * max)].slice(0, max).join('');
	const [cut = ''] = CUT.exec(text.slice(0, length + 1)) ?? [];
	const rest =
		cut.trimEnd() || new Intl.Segmenter().segment(text.slice(0, length + 2)).containing(length);
	const kept = typeof rest === 'string' ? rest : text.slice(0, rest?.index);
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
		value: String(shortenText) === 'true' ? shorten(all) : all,
		warning:
			left.length > 0 &&
			`is posted without ${left.join(' ')}: the photo platform accepts ${MAX_HASHTAGS} hashtags, and each needs a letter`,
	};
}
