import { join } from 'node:path';
import { N8n } from '../../host/n8n';

import { Stage } from '../../host/stage';
import { placePackage } from '../community-package';
import { ITEMS_PACKAGE } from './workflows';

/** An n8n that has, beside this package, the trigger that starts a workflow with items. */
export async function openHost(): Promise<Stage> {
	const userFolder = N8n.makeUserFolder();
	placePackage(userFolder, ITEMS_PACKAGE, join(__dirname, 'items'));
	return await Stage.set({ userFolder });
}
