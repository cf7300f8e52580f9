import { spawnSync } from 'node:child_process';
import { fields } from '../../nodes/SocialOpenPlatform/post/fields';
import { read } from './documents';
import { root } from './repositoryFiles';

const changelog = read('CHANGELOG.md').replace(/\s+/g, ' ');

test('The tables in docs/operations.md follow from the fields (npx tsx test/repository/fieldTable.ts)', () => {
	const args = ['--import', 'tsx', 'test/repository/fieldTable.ts', '--check'];
	expect(spawnSync(process.execPath, args, { cwd: root }).status).toBe(0);
});

test.each(fields.map(({ property }) => property.displayName))(
	'CHANGELOG.md names the field %s (add a line under Unreleased)',
	(label) => {
		expect(changelog).toContain(label);
	},
);

test('Each name in the request and each setting of the credential belongs to one field', () => {
	const names = fields.flatMap(({ name, setting }) => [
		...(name ? [name] : []),
		...(setting ? [setting[0]] : []),
	]);
	expect(new Set(names).size).toBe(names.length);
});
