import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '../../package.json';
import { repositoryFiles, root } from './repositoryFiles';

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const workflows = repositoryFiles('.github/workflows');
const publishing = read('.github/workflows/publish.yml');
const [, before = '', job = ''] = publishing.split(/^jobs:\n|^ {2}publish:\n/m);

describe('The publishing workflow', () => {
	test('publishes with provenance from a hosted runner after all checks', () => {
		expect(job).toMatch(/^ {4}needs: check$/m);
		expect(job).toMatch(/^ {4}runs-on: ubuntu-latest$/m);
		expect(job).toMatch(/^ {10}npm publish --provenance --access public$/m);
		for (const command of ['lint', 'test', 'scan']) {
			expect(before).toMatch(new RegExp(`- run: npm (run )?${command}$`, 'm'));
		}
		expect(before).toContain('npx tsx test/release/check.ts "$GITHUB_REF_NAME"');
	});

	test('grants the permission for npm only to the publishing job', () => {
		expect(publishing.match(/id-token: write/g)).toHaveLength(1);
		expect(job).toContain('id-token: write');
		expect(before).not.toContain('secrets.');
		expect(publishing).toMatch(/^permissions:\n {2}contents: read\n/m);
	});
});

test.each(workflows)('%s pins its actions to commits', (path) => {
	const uses = [...read(path).matchAll(/uses: (.*)$/gm)].map(([, action]) => action);
	expect(uses.length).toBeGreaterThan(0);
	for (const action of uses)
		expect(action).toMatch(/^[\w-]+\/[\w-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/);
});

describe('package.json', () => {
	test('names the public repository of the source', () => {
		const { repository, homepage, bugs } = packageJson;
		const page = repository.url.replace(/^git\+|\.git$/g, '');
		expect(page).toMatch(/^https:\/\/github\.com\/[\w-]+\/n8n-nodes-social-open-platform$/);
		expect(homepage).toBe(`${page}#readme`);
		expect(bugs.url).toBe(`${page}/issues`);
		expect(repository).not.toHaveProperty('directory');
	});

	test('has no dependencies and no install scripts, and enables provenance', () => {
		for (const name of ['dependencies', 'bundleDependencies', 'overrides', 'publishConfig']) {
			expect(packageJson).not.toHaveProperty(name);
		}
		const hooks = /^(pre|post)|^(prepare|install|uninstall)$/;
		expect(Object.keys(packageJson.scripts).filter((name) => hooks.test(name))).toEqual([]);
	});

	test('names the license that n8n requires, as the file LICENSE does', () => {
		expect(packageJson.license).toBe('MIT');
		expect(read('LICENSE')).toMatch(/^MIT License\n/);
		expect(read('LICENSE')).toContain(packageJson.author.name);
	});
});
