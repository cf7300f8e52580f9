import {
	captionOf,
	htmlToText,
	markdownToText,
} from '../../../nodes/SocialOpenPlatform/post/caption';
import { withinTimeLimit } from '../hostileValues';

describe('htmlToText', () => {
	test.each([
		['WordPress paragraphs', '<p>One.</p>\n\n\n\n<p>Two<br />\nThree</p>\n', 'One.\n\nTwo\nThree'],
		[
			'a WordPress excerpt',
			'<p>Tom &#038; Jerry&#8217;s trip to the &#8220;sea&#8221; [&hellip;]</p>\n',
			'Tom & Jerry’s trip to the “sea” …',
		],
		[
			'WordPress blocks with a list',
			'<!-- wp:heading --><h2 class="wp-block-heading">Lakes</h2><!-- /wp:heading -->\n<ul class="wp-block-list">\n<li>Blue</li>\n\n<li>Cold &amp; <strong>deep</strong></li>\n</ul>',
			'Lakes\n• Blue\n• Cold & deep',
		],
		[
			'a link to the rest of an article',
			'<p>Six lakes in a day &hellip; <a href="https://b.example/1/" class="more-link">Continue reading <span class="screen-reader-text">&#8220;Lakes&#8221;</span></a></p>',
			'Six lakes in a day …',
		],
		[
			'such a link in a paragraph of its own, before the text of the field',
			'<p>Six lakes.</p><p><a href="https://b.example/1/">Read more →</a></p>\n\nhttps://b.example/1/',
			'Six lakes.\n\nhttps://b.example/1/',
		],
		[
			"the author's own words",
			'<p>You may <a href="/x">continue reading</a> in the library. Or continue reading here.</p>',
			'You may continue reading in the library. Or continue reading here.',
		],
		[
			'emoji images',
			'<p>Hi <img src="1f600.png" alt="😀" class="wp-smiley" /><img alt="🏔" src="https://s.w.org/images/core/emoji/1.svg">!<img alt="A lake" src="a.jpg"></p>',
			'Hi 😀🏔!',
		],
		[
			'shortcodes and other brackets',
			'[caption id="a_1" width="300"]<img src="a.jpg" /> At the lake[/caption] [gallery ids=&#8221;1,2&#8243;][embed]https://v.example/1[/embed][vc_row]<p>Blue [1] and [sic] [Update]</p>[/vc_row]',
			'At the lake\n\nBlue [1] and [sic] [Update]',
		],
		[
			'Ghost',
			'<!--kg-card-begin: html--><figure class="kg-card"><img src="a.jpg" alt="x"><figcaption>At dawn</figcaption></figure><!--kg-card-end: html--><p>Über den Pass.<br></p><blockquote>Weit.</blockquote>',
			'At dawn\n\nÜber den Pass.\n\nWeit.',
		],
		[
			'Shopify',
			'<meta charset="utf-8"><div class="p">\n  <p><span>Soft&nbsp;cotton.</span></p>\n  <table><tbody><tr><td>Size</td><td>M</td></tr></tbody></table>\n</div>',
			'Soft cotton.\n\nSize M',
		],
		[
			'Medium RSS',
			'<h3>Café &amp; Code</h3><p>It’s 5 &lt; 6.</p><img src="https://medium.com/_/stat?event=x" width="1" height="1" alt=""><hr><p><a href="https://m.example/p">Continue reading on Medium »</a></p>',
			'Café & Code\n\nIt’s 5 < 6.',
		],
		[
			'Chinese and Arabic',
			'<p>春天来了。</p><p dir="rtl">مرحبا&nbsp;بكم</p><p><a href="/1">继续阅读</a></p>',
			'春天来了。\n\nمرحبا بكم',
		],
		[
			'German of an old editor',
			'<P>Gr&ouml;&szlig;e &#150; &quot;weit&quot;&#33;<BR>Ende</P>',
			'Größe – "weit"!\nEnde',
		],
		[
			'scripts, styles, comments and forms',
			'<style>p{}</style><script>var a = "</p>";</script><p>A<!-- <b>no</b> --></p><noscript><img src="x"></noscript><textarea>no</textarea><svg><title>no</title></svg>B',
			'A\n\nB',
		],
		[
			'nested and loose lists',
			'<ol><li><p>a</p><ul><li>b</li></ul></li><li><p>c</p></li></ol>',
			'• a\n• b\n• c',
		],
		['code', '<pre><code>a &lt; b\n  c</code></pre><p>d\ne</p>', 'a < b\nc\n\nd e'],
		['entities once', '<b>&amp;lt;b&amp;gt; &amp;amp; &unknown;</b>', '&lt;b&gt; &amp; &unknown;'],
		['attributes with brackets', '<a title="a > b" href=\'x\'>link</a>', 'link'],
		['empty paragraphs', '<p>a</p><p>&nbsp;</p><p></p><p>b</p>', 'a\n\nb'],
		['hidden elements without content', '<p>A</p><svg /><video src="x"/><p>B</p>', 'A\n\nB'],
		[
			'addresses in angle brackets',
			'Anna <anna@x.example> writes:<br><https://x.example/a>',
			'Anna <anna@x.example> writes:\n<https://x.example/a>',
		],
		[
			'brackets with links',
			'<p>See [via https://x.example/?id=5] and [coffee w/]</p>',
			'See [via https://x.example/?id=5] and [coffee w/]',
		],
		[
			'Greek and Polish of old editors',
			'<b>&alpha;&Omega; &lstrok;&oacute;d&zacute;</b>',
			'αΩ łódź',
		],
		[
			'a heading that is a link',
			'<h2><a href="x">Read Only Memory</a></h2><p>Body</p>',
			'Read Only Memory\n\nBody',
		],
		['a marked section', '<![CDATA[<p>Hello</p>]]>', 'Hello'],
		['tags without ends', '<p>a<p>b<li>c<li>d', 'a\n\nb\n• c\n• d'],
		[
			'a raw-text element without its end',
			'Use <style> and <script> well\n\nhttps://b.example',
			'Use <style> and <script> well\n\nhttps://b.example',
		],
		['a tag that HTML does not know', 'A List<T> &amp; <Suspense>', 'A List<T> & <Suspense>'],
		['unknown elements', '<o:p>a</o:p> <x-y>b</x-y> <note>c</note> <x id="1">d', 'a b c d'],
		['an unclosed element', '<b>Lakes\n\nhttps://b.example\n#a', 'Lakes\n\nhttps://b.example\n#a'],
		[
			'text without markup',
			'One  two \n\n\n\n\nwith a < b, c > d, <3, AT&T, [1], &nope and i<5 && j>6',
			'One two\n\nwith a < b, c > d, <3, AT&T, [1], &nope and i<5 && j>6',
		],
		[
			'deleted and hidden text',
			'<p>A <s>b</s><del>c <i>d</i></del></p><div hidden>e<div>f</div></div><p class="x hidden">G</p>',
			'A\n\nG',
		],
		[
			'a script that writes a script',
			'<script>w("<script src=x><a href=\'");</script><p>It\'s</p>',
			"It's",
		],
		['comments and declarations', '<!DOCTYPE html><!-->a<!-- b --><?x?>', 'a'],
		[
			'a link to the rest with a title',
			'<p>Six.</p> <a href="/1">Continue reading “Lakes”</a>',
			'Six.',
		],
		[
			'a headline that begins like one',
			'<p>Six.</p><p><a href="/1">Read more books this summer: ten tips</a></p>',
			'Six.\n\nRead more books this summer: ten tips',
		],
		[
			'a sentence that begins like one',
			'<p>Six. <a href="/1">Read more about the palettes in the handbook.</a></p>',
			'Six. Read more about the palettes in the handbook.',
		],
		['a line break that is written as an end tag', 'a\nb</br>c', 'a\nb\nc'],
		['half characters', 'a&#xD800;&#56320;b', 'a\ufffd\ufffdb'],
		['nothing', '', ''],
	])('converts %s', (_, html, text) => {
		expect(htmlToText(html)).toBe(text);
	});

	test('keeps line breaks that people write around expressions', () => {
		expect(
			htmlToText('Lakes &#038; more\n\n<p>Six.</p>\n\nhttps://b.example\n#a <b>b</b>\nc'),
		).toBe('Lakes & more\n\nSix.\n\nhttps://b.example\n#a b\nc');
	});

	test.each([
		...['<a ', '<p>', '<!--', '<![', '</', '<a "', "<a '", '<a href="x" ', '&', '&#', '&amp', '['],
		...['[a ', '[/a]', '[a x=', '[embed]', '<svg>', '<script>', '<li><ul>', '<a><img alt=', '</b>'],
		...[
			' ',
			'\n',
			'&nbsp;',
			'<br>',
			'<a>x',
			'<a>Read more</a>',
			'*',
			'_a',
			'`',
			'[a](',
			'> ',
			'#a ',
		],
		...[
			'https://x ',
			'**a',
			'- [x] ',
			'![a](',
			'\\',
			'\\_',
			'~',
			'<<',
			'| a ',
			'a|b\n-|-\n',
			'[a]: ',
		],
	])('takes linear time for long text of %j', (part) => {
		const text = part.repeat(100_000 / part.length);
		for (const textFormat of ['html', 'markdown']) {
			withinTimeLimit(() => captionOf(text, { textFormat, shortenText: true }), 250);
		}
	});

	test('quickly reads hashtags with many separators', () => {
		withinTimeLimit(() => captionOf('Hello', { hashtags: ','.repeat(200_000) }), 120);
	});
});

describe('markdownToText', () => {
	test.each([
		[
			'headings and hashtags',
			'# Lakes #\n\n#lakes #blue\n\nTitle\n=====\ntext',
			'Lakes\n\n#lakes #blue\n\nTitle\n\ntext',
		],
		[
			'emphasis',
			'**Bold _and_ italic**, *x*, ~~old~~, snake_case_name, 5 * 3, a*b',
			'Bold and italic, x, old, snake_case_name, 5 * 3, a*b',
		],
		[
			'links and images',
			'See [the **map**](https://a.example/x_(y) "Map") ![alt](a.jpg)\n<https://b.example/a_b_c>',
			'See the map\nhttps://b.example/a_b_c',
		],
		[
			'lists and quotes',
			'- a\n* b\n  - [x] c\n1. d\n\n> quoted\n> more',
			'• a\n• b\n• c\n1. d\n\nquoted\nmore',
		],
		[
			'code',
			'Run `npm *i*`:\n\n```sh\n# not a heading <b>\n```\n',
			'Run npm *i*:\n\n# not a heading <b>',
		],
		[
			'URLs, addresses and handles',
			'https://x.example/_a_/b__c__d <info@x.example> @anna__berlin__',
			'https://x.example/_a_/b__c__d info@x.example @anna__berlin__',
		],
		['escapes', '1\\. \\*not bold\\* \\# x', '1. *not bold* # x'],
		['HTML and entities inside', '**A** &amp; <em>B</em><br>C', 'A & B\nC'],
		[
			'rules and references',
			'a\n\n---\n\n[b][1] [c] [d]\n\n[1]: https://c.example\n[c]: </c d> "C"',
			'a\n\nb c [d]',
		],
		['labels before a colon', '[UPDATE]: The concert moved', '[UPDATE]: The concert moved'],
		['footnotes', 'a[^1]\n\n[^1]: b c', 'a'],
		['tables', '| a | b |\n|:--|--:|\n| c | d \\| e |\n\nf | g', 'a b\nc d | e\n\nf | g'],
		['double backticks', 'Use `` a ` *b* `` and ```c```', 'Use a ` *b* and c'],
		['emphasis over a line break', '**a\nb** *c\nd*\n\n**e\n\nf**', 'a\nb c\nd\n\n**e\n\nf**'],
		['headings in quotes', '> # a\n> > b', 'a\nb'],
		[
			'fences in lists and quotes',
			'- a\n  ```js\n  *b*\n  ```\n1. ```\n   c\n   ```\n> ~~~\n> d\n> ~~~',
			'• a\n*b*\n\n1. c\n\nd',
		],
		['front matter', '---\ntitle: a\ntags:\n  - b\n---\n# c', 'c'],
	])('converts %s', (_, markdown, text) => {
		expect(markdownToText(markdown)).toBe(text);
	});
});

test.each(['__proto__', 'constructor', 7, undefined])(
	'Text of the unknown format %j stays as it is',
	(textFormat) => {
		expect(captionOf('<b>x</b>', { textFormat }).value).toBe('<b>x</b>');
	},
);

test('Plain text keeps all but spaces before line breaks', () => {
	expect(captionOf('  a  b \r\n\r\n\r\n c&amp; ', {}).value).toBe('  a  b\n\n\n c&amp; ');
});

test.each([
	['<b>a</b>', undefined, "'Text Format' HTML converts it"],
	['&lt;b&gt;a&lt;/b&gt;', 'html', 'encoded twice'],
	['&amp;amp; a', 'html', 'encoded twice'],
	[' - ', undefined, 'contains no letter, digit or emoji'],
])('warns about %j in the format %s', (text, textFormat, warning) => {
	expect(captionOf(text, { textFormat }).warnings).toEqual([expect.stringContaining(warning)]);
});

test.each(['', 'a', '7', '🇩🇪', '❤️', '신'])('does not warn about %j', (text) => {
	expect(captionOf(text, {}).warnings).toEqual([]);
});

describe('Hashtags', () => {
	const tagged = (hashtags: unknown, text = 'Text') => captionOf(text, { hashtags }).value;

	test.each([
		[['self-hosting', 'Kaffee & Kuchen', 'Kaffee &amp; Kuchen'], '#selfhosting #KaffeeKuchen'],
		['news, Open Source', '#news #OpenSource'],
		['news  berlin', '#news #berlin'],
		['#a #b-c', '#a #bc'],
		[['#one', 'two #three'], '#one #two #three'],
		[
			['ÜBER', 'über', 'naïve', 'हिन्दी', 'مرحبا', '日本', 'snake_case', 'v2'],
			'#ÜBER #naïve #हिन्दी #مرحبا #日本 #snake_case #v2',
		],
		['新闻、柏林，春天；花', '#新闻 #柏林 #春天 #花'],
		['أخبار اليوم، تقنية', '#أخباراليوم #تقنية'],
		[['❤️ Berlin', '1️⃣ Rom', '#️⃣ Paris', '👨‍👩‍👧 Wien'], '#Berlin #Rom #Paris #Wien'],
		[['می‌خواهم', 'ශ්‍රීලංකා'], '#می‌خواهم #ශ්‍රීලංකා'],
		[['C++', 'C#', 'C'], '#Cpp #Csharp #C'],
		['C# C++', '#Csharp #Cpp'],
	])('turns %j into hashtags', (given, expected) => {
		expect(tagged(given)).toBe(`Text\n\n${expected}`);
	});

	test('leaves out tags that the text has, in any case, and those without a letter', () => {
		const { value, warnings } = captionOf('On #Berlin', { hashtags: 'berlin, 2024, 🎉, new' });
		expect(value).toBe('On #Berlin\n\n#new');
		expect(tagged('news', 'https://x.example/p#news')).toContain('\n\n#news');
		expect(warnings).toEqual([expect.stringContaining('without #2024 #🎉:')]);
	});

	test('adds at most 30 with those in the text', () => {
		const hashtags = Array.from({ length: 40 }, (_, n) => `tag${n}`);
		const { value, warnings } = captionOf('#a #b', { hashtags });
		expect(value.match(/#/g)).toHaveLength(30);
		expect(warnings[0]).toContain('#tag28 #tag29');
		const many = captionOf('a', { hashtags: Array.from({ length: 3000 }, (_, n) => `t${n}`) });
		expect(many.warnings[0]!.length).toBeLessThan(1000);
	});

	test.each([undefined, null, '', [], [''], ' , '])('adds nothing for %j', (given) => {
		expect(tagged(given)).toBe('Text');
	});
});

describe('Shorten Text', () => {
	const shortened = (text: string, more = {}) =>
		captionOf(text, { shortenText: true, ...more }).value;
	const lengthOf = (text: string) => [...text].length;

	test('keeps text of 2,200 characters', () => {
		const text = '😀'.repeat(2200);
		expect(shortened(text)).toBe(text);
	});

	test('ends at a sentence, and keeps the link and the hashtags', () => {
		const text = `${'One sentence here. '.repeat(200).trim()}\n\nhttps://b.example/1\n#own`;
		const short = shortened(text, { hashtags: ['new'] });
		expect(short).toMatch(/ here\. …\n\nhttps:\/\/b\.example\/1\n#own\n\n#new$/);
		expect(lengthOf(short)).toBeLessThanOrEqual(2200);
		expect(lengthOf(short)).toBeGreaterThan(1800);
	});

	test('ends at a word', () => {
		expect(shortened('lighthouse '.repeat(300))).toMatch(/ lighthouse …$/);
	});

	test('ends between characters in Chinese and Japanese', () => {
		expect(lengthOf(shortened('春天来了'.repeat(1000)))).toBe(2199);
		expect(shortened(`${'春天来了。'.repeat(600)}\n详情：https://b.example/x`)).toMatch(
			/…https:\S+x$/,
		);
		expect(shortened('今日は晴れです。'.repeat(500))).toMatch(/。…$/);
	});

	test('never cuts a visible character or a link', () => {
		for (const emoji of ['👩‍👩‍👧‍👦', '🇩🇪', '👍🏽', '𠮷']) {
			const short = shortened(emoji.repeat(3000));
			expect(lengthOf(short)).toBeGreaterThan(2150);
			expect(lengthOf(short)).toBeLessThanOrEqual(2200);
			expect(short.replaceAll(emoji, '')).toBe('…');
		}
		expect(shortened(`${'a '.repeat(1090)}https://x.example/${'b'.repeat(100)} end`)).toMatch(
			/ a …$/,
		);
	});
});
