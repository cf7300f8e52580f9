import { stopChildren } from '../n8n/child';
import { say } from '../n8n/progress';
import { report } from './document';
import { measureLoading } from './loading';
import { measurePosts } from './posts';
import { measureTrigger } from './trigger';

const benchmarks = { posts: measurePosts, trigger: measureTrigger, loading: measureLoading };

async function main(): Promise<number> {
	const [name = '', ...more] = process.argv.slice(2);
	if (more.length > 0 || !Object.hasOwn(benchmarks, name)) {
		if (name && name !== '--help') say(`There is no benchmark '${[name, ...more].join(' ')}'.`);
		say(`Usage: npm run bench -- NAME. NAME is one of: ${Object.keys(benchmarks).join(', ')}`);
		say('Exits with 1 if a result is wrong or the measurement fails.');
		return name === '--help' ? 0 : 2;
	}
	return (await report(name, benchmarks[name as keyof typeof benchmarks])) ? 0 : 1;
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
	process.once(signal, () => void stopChildren().then(() => process.exit(130)));
}
main().then(
	(code) => process.exit(code),
	async (error: Error) => {
		say(`\nThe benchmark failed: ${error.message}`);
		await stopChildren();
		process.exit(1);
	},
);
