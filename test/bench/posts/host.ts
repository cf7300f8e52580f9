import { placeItemsPackage } from '../../n8n/communityPackage';
import { N8n } from '../../n8n/n8n';
import { Stage } from '../../n8n/stage';

/** An n8n that has, beside this package, the trigger that starts a workflow with items. */
export async function openHost(): Promise<Stage> {
	const userFolder = N8n.makeUserFolder();
	placeItemsPackage(userFolder);
	return await Stage.set({ userFolder });
}
