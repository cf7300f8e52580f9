const PALETTES = [
	['#f6d365', '#fda085', '#7a3b2e'],
	['#a1c4fd', '#c2e9fb', '#274472'],
	['#d4fc79', '#96e6a1', '#1f5f3f'],
	['#fbc2eb', '#a6c1ee', '#4b2e6b'],
	['#89f7fe', '#66a6ff', '#123a6b'],
] as const;

/** Returns a small landscape in SVG, which is the same for the same name. */
export function samplePicture(name: string): string {
	const hash = Array.from(name).reduce(
		(sum, char) => (sum * 31 + (char.codePointAt(0) ?? 0)) >>> 0,
		7,
	);
	const [sky, glow, hill] = PALETTES[hash % PALETTES.length] ?? PALETTES[0];
	const sunX = 160 + ((hash >>> 3) % 480);
	const peak = 330 + ((hash >>> 7) % 150);
	const ridge = 140 + ((hash >>> 5) % 240);
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 800">
<defs><linearGradient id="sky" x1="0" y1="0" x2="0" y2="1">
<stop offset="0" stop-color="${sky}"/><stop offset="1" stop-color="${glow}"/></linearGradient></defs>
<rect width="800" height="800" fill="url(#sky)"/>
<circle cx="${sunX}" cy="230" r="78" fill="#fff" fill-opacity=".8"/>
<path d="M0 620 L${ridge} ${peak} L430 600 L610 ${peak + 60} L800 590 V800 H0Z" fill="${hill}" fill-opacity=".45"/>
<path d="M0 680 Q220 560 430 670 T800 640 V800 H0Z" fill="${hill}" fill-opacity=".85"/>
</svg>`;
}
