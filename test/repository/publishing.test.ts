import packageJson from '../../package.json';
import { read } from './documents';
import { repositoryFiles } from './repositoryFiles';

test('The publishing workflow publishes with provenance from a hosted runner after all checks', () => {
	const publishing = read('.github/workflows/publish.yml');
	const [, before = '', job = ''] = publishing.split(/^jobs:\n|^ {2}publish:\n/m);
	expect(job).toMatch(/^ {4}needs: check$/m);
	expect(job).toMatch(/^ {4}runs-on: ubuntu-latest$/m);
	expect(job).toMatch(/^ {10}npm publish --provenance --access public$/m);
	for (const command of ['npm run lint', 'npm test', 'npm run scan']) {
		expect(before).toContain(`- run: ${command}\n`);
	}
	expect(before).toContain('npx tsx test/release/check.ts "$GITHUB_REF_NAME"');
	// Only the job that publishes has the permission for npm.
	expect(publishing.match(/id-token: write/g)).toHaveLength(1);
	expect(job).toContain('id-token: write');
	expect(before).not.toContain('secrets.');
	expect(publishing).toMatch(/^permissions:\n {2}contents: read\n/m);
});

test.each(repositoryFiles('.github/workflows'))('%s pins its actions to commits', (path) => {
	const uses = [...read(path).matchAll(/uses: (.*)$/gm)].map(([, action]) => action);
	expect(uses).not.toEqual([]);
	for (const action of uses)
		expect(action).toMatch(/^[\w-]+\/[\w-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/);
});

describe('package.json', () => {
	test('names the public repository, and the license that n8n requires', () => {
		const { repository, homepage, bugs } = packageJson;
		const page = repository.url.replace(/^git\+|\.git$/g, '');
		expect(page).toMatch(/^https:\/\/github\.com\/[\w-]+\/n8n-nodes-social-open-platform$/);
		expect([homepage, bugs.url]).toEqual([`${page}#readme`, `${page}/issues`]);
		expect(repository).not.toHaveProperty('directory');
		expect(packageJson.license).toBe('MIT');
		expect(read('LICENSE')).toMatch(/^MIT License\n/);
	});

	test('has no dependencies and no install scripts', () => {
		for (const name of ['dependencies', 'bundleDependencies', 'overrides', 'publishConfig']) {
			expect(packageJson).not.toHaveProperty(name);
		}
		const hooks = /^(pre|post)|^(prepare|install|uninstall)$/;
		expect(Object.keys(packageJson.scripts).filter((name) => hooks.test(name))).toEqual([]);
	});
});
