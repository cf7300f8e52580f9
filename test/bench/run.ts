import { stopChildren } from '../n8n/child';
import { say } from '../n8n/progress';
import { benchPosts } from './posts';
import { benchTrigger } from './trigger';

/** The benchmarks. Each function returns whether all results were correct, regardless of the speed. */
const benchmarks: Record<string, () => Promise<boolean>> = {
	posts: benchPosts,
	trigger: benchTrigger,
};

async function main(): Promise<number> {
	const [name = '', ...more] = process.argv.slice(2);
	const benchmark = Object.hasOwn(benchmarks, name) ? benchmarks[name] : undefined;
	if (!benchmark || more.length > 0) {
		if (name && name !== '--help') say(`There is no benchmark '${[name, ...more].join(' ')}'.`);
		say(`Usage: npm run bench -- NAME. NAME is one of: ${Object.keys(benchmarks).join(', ')}`);
		say('Exits with 1 if a result is wrong or the measurement fails.');
		return name === '--help' ? 0 : 2;
	}
	return (await benchmark()) ? 0 : 1;
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
