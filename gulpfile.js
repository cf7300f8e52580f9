const { dest, src } = require('gulp');

/** Copies the files that tsc does not copy to dist: icons, codex files and output schemas. */
function assets() {
	return src(
		[
			'nodes/**/*.{svg,png}',
			'nodes/**/*.node.json',
			'nodes/**/__schema__/**/*.json',
			'credentials/**/*.svg',
		],
		// Without `encoding: false` gulp 5 reads every file as text and breaks PNGs.
		{ base: '.', encoding: false },
	).pipe(dest('dist'));
}

module.exports = { assets };
