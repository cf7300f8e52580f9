type Check = (value: unknown) => string | undefined;

const codePoints = (text: string) => Array.from(text).length;

const text =
	(max = Infinity): Check =>
	(value) => {
		if (typeof value !== 'string') return '必须为字符串';
		return codePoints(value) > max ? `长度不能超过 ${max}` : undefined;
	};

const flag: Check = (value) => (typeof value === 'boolean' ? undefined : '必须为布尔值');

const offset: Check = (value) =>
	Number.isInteger(value) && Number(value) >= 0 ? undefined : '必须为大于等于 0 的整数';

const url: Check = (value) => {
	if (typeof value === 'string' && !URL.canParse(value)) return '必须为有效的 URL';
	return text(1000)(value);
};

const item: Check = (value) =>
	value !== null && typeof value === 'object' && !Array.isArray(value) ? undefined : '必须为对象';

/** ISO 8601 with a UTC offset, as the interface shows for `post_date`. */
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/;

const date: Check = (value) => {
	const problem = text(64)(value);
	if (problem) return problem;
	const readable = DATE_TIME.test(String(value)) && !Number.isNaN(Date.parse(String(value)));
	return readable ? undefined : '必须为带时区偏移的 ISO 8601 时间';
};

/**
 * The known fields and their limits, with lengths in code points (platform interface, Limits). The names that
 * the interface does not show are assumed (contract, Assumed). `[]` means each item of an array.
 */
export const BOUNDS: Record<string, Check> = {
	social_account_id: text(128),
	post_date: date,
	title: text(255),
	type: text(64),
	text: text(),
	'media_urls[]': url,
	thumbnail: url,
	exclusive: item,
	'exclusive.alt_text': text(),
	'exclusive.share_to_feed': flag,
	'exclusive.auto_fit_image': flag,
	'exclusive.thumbnail_offset': offset,
	'exclusive.collaborators[]': text(128),
	'exclusive.auto_crop_image': flag,
	'exclusive.location_id': text(128),
	'exclusive.trial_params[]': item,
};

/** Returns the first limit that the body exceeds, in Chinese with the name of the field, or undefined. */
export function brokenBound(body: Record<string, unknown>): string | undefined {
	for (const [path, check] of Object.entries(BOUNDS)) {
		const name = path.replace('[]', '');
		const value = name.split('.').reduce<unknown>((at, key) => member(at, key), body);
		if (value === undefined) continue;
		if (!path.endsWith('[]')) {
			const problem = check(value);
			if (problem) return `参数错误: ${name} ${problem}`;
			continue;
		}
		if (!Array.isArray(value)) return `参数错误: ${name} 必须为数组`;
		const problems = value.map(check);
		const first = problems.findIndex((problem) => problem !== undefined);
		if (first >= 0) return `参数错误: ${name}.${first} ${problems[first]}`;
	}
	return undefined;
}

function member(value: unknown, key: string): unknown {
	if (value === null || typeof value !== 'object') return undefined;
	return (value as Record<string, unknown>)[key];
}
