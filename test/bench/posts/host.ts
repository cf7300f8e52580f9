import { placeItemsPackage } from '../../n8n/communityPackage';
import { N8n } from '../../n8n/n8n';
import { Setup } from '../../n8n/setup';

/** Starts an n8n with this package and a trigger that starts workflows with items. */
export async function startBenchHost(env: NodeJS.ProcessEnv): Promise<Setup> {
	const userFolder = N8n.makeUserFolder();
	placeItemsPackage(userFolder);
	return await Setup.start({ userFolder, env });
}
