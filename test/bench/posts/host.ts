import { placeItemsPackage } from '../../n8n/communityPackage';
import { N8n } from '../../n8n/n8n';
import { Setup } from '../../n8n/setup';

/** An n8n that has, beside this package, the trigger that starts a workflow with items. */
export async function openHost(): Promise<Setup> {
	const userFolder = N8n.makeUserFolder();
	placeItemsPackage(userFolder);
	return await Setup.start({ userFolder });
}
