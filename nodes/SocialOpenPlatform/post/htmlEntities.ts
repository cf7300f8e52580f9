/**
 * Names of HTML entities with their characters: ASCII, spaces, punctuation, symbols, and Latin and
 * Greek letters.
 */
const CHARACTERS = `
excl=! QUOT=" quot=" num=# AMP=& amp=& apos=' lpar=( rpar=) comma=, period=. sol=/
colon=: LT=< lt=< GT=> gt=> commat=@ lbrack=[ lsqb=[ rbrack=] rsqb=] lowbar=_ grave=\`

Tab=\t NewLine=\n nbsp=\xa0 shy=\xad ensp=\u2002 emsp=\u2003 numsp=\u2007
thinsp=\u2009 hairsp=\u200a ZeroWidthSpace=\u200b zwnj=\u200c zwj=\u200d lrm=\u200e
rlm=\u200f

ndash=– mdash=— lsquo=‘ rsquo=’ sbquo=‚ ldquo=“ rdquo=” bdquo=„ dagger=† Dagger=‡
bull=• hellip=… permil=‰ prime=′ Prime=″ lsaquo=‹ rsaquo=›

iexcl=¡ cent=¢ pound=£ curren=¤ yen=¥ brvbar=¦ sect=§ uml=¨ COPY=© copy=© ordf=ª
laquo=« not=¬ REG=® reg=® macr=¯ deg=° plusmn=± sup2=² sup3=³ acute=´ micro=µ para=¶
middot=· cedil=¸ sup1=¹ ordm=º raquo=» frac14=¼ frac12=½ frac34=¾ iquest=¿ fnof=ƒ
euro=€ trade=™ larr=← uarr=↑ rarr=→ darr=↓ harr=↔ lArr=⇐ rArr=⇒ hArr=⇔ sum=∑ minus=−
radic=√ infin=∞ asymp=≈ ne=≠ equiv=≡ le=≤ ge=≥ sdot=⋅ loz=◊ starf=★ star=☆ spades=♠
clubs=♣ hearts=♥ diams=♦ check=✓

Agrave=À Aacute=Á Acirc=Â Atilde=Ã Auml=Ä Aring=Å AElig=Æ Ccedil=Ç Egrave=È Eacute=É
Ecirc=Ê Euml=Ë Igrave=Ì Iacute=Í Icirc=Î Iuml=Ï ETH=Ð Ntilde=Ñ Ograve=Ò Oacute=Ó
Ocirc=Ô Otilde=Õ Ouml=Ö times=× Oslash=Ø Ugrave=Ù Uacute=Ú Ucirc=Û Uuml=Ü Yacute=Ý
THORN=Þ szlig=ß agrave=à aacute=á acirc=â atilde=ã auml=ä aring=å aelig=æ ccedil=ç
egrave=è eacute=é ecirc=ê euml=ë igrave=ì iacute=í icirc=î iuml=ï eth=ð ntilde=ñ
ograve=ò oacute=ó ocirc=ô otilde=õ ouml=ö divide=÷ oslash=ø ugrave=ù uacute=ú ucirc=û
uuml=ü yacute=ý thorn=þ yuml=ÿ

Abreve=Ă abreve=ă Aogon=Ą aogon=ą Cacute=Ć cacute=ć Ccaron=Č ccaron=č Dcaron=Ď
dcaron=ď Dstrok=Đ dstrok=đ Eogon=Ę eogon=ę Ecaron=Ě ecaron=ě Gbreve=Ğ gbreve=ğ Idot=İ
imath=ı inodot=ı Lstrok=Ł lstrok=ł Nacute=Ń nacute=ń Ncaron=Ň ncaron=ň Odblac=Ő
odblac=ő OElig=Œ oelig=œ Rcaron=Ř rcaron=ř Sacute=Ś sacute=ś Scedil=Ş scedil=ş
Scaron=Š scaron=š Tcedil=Ţ tcedil=ţ Tcaron=Ť tcaron=ť Uring=Ů uring=ů Udblac=Ű
udblac=ű Yuml=Ÿ Zacute=Ź zacute=ź Zdot=Ż zdot=ż Zcaron=Ž zcaron=ž

Alpha=Α Beta=Β Gamma=Γ Delta=Δ Epsilon=Ε Zeta=Ζ Eta=Η Theta=Θ Iota=Ι Kappa=Κ Lambda=Λ
Mu=Μ Nu=Ν Xi=Ξ Omicron=Ο Pi=Π Rho=Ρ Sigma=Σ Tau=Τ Upsilon=Υ Phi=Φ Chi=Χ Psi=Ψ Omega=Ω
alpha=α beta=β gamma=γ delta=δ epsilon=ε zeta=ζ eta=η theta=θ iota=ι kappa=κ lambda=λ
mu=μ nu=ν xi=ξ omicron=ο pi=π rho=ρ sigmaf=ς sigma=σ tau=τ upsilon=υ phi=φ chi=χ psi=ψ
omega=ω
`;

const NAMED = new Map(
	Array.from(CHARACTERS.matchAll(/(\w+)=([^])/g), ([, name, character]) => [name, character]),
);

/** The Windows-1252 characters that browsers show for the numbers 128 to 159. */
const WINDOWS = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';

/** Decodes HTML entities once, so that `&amp;lt;` becomes `&lt;`. Unknown entities stay. */
export function decodeEntities(text: string) {
	const entity = /&(?:#(x[\da-f]{1,6}|\d{1,7})|([a-z][a-z\d]*));/gi;
	return text.replace(entity, (all, number: string | undefined, name: string) => {
		if (number === undefined) return NAMED.get(name) ?? all;
		const code = Number(`0${number}`);
		const isCharacter = code > 8 && code <= 0x10ffff;
		const character = isCharacter ? String.fromCodePoint(code).toWellFormed() : '\ufffd';
		return WINDOWS[code - 0x80] ?? character;
	});
}
