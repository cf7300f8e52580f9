import type { TriggerPanelDefinition } from 'n8n-workflow';

const whileBuilding =
	'<b>While you build the workflow</b>, let this node listen (Execute step) and have the platform send an event to the Test URL. If that delivery is refused, the output says what to change in the credential.';

const inProduction =
	"the platform starts it by each event it sends to the Production URL. Those executions show up in the <a data-key='executions'>executions list</a>, not in the editor.";

/** What the editor says beside the node while there is nothing to show yet. */
export const panel: TriggerPanelDefinition = {
	header: '',
	executionsHelp: {
		inactive: `${whileBuilding}<br /> <br /><b>Once the workflow is published</b> (active), ${inProduction}`,
		active: `${whileBuilding}<br /> <br /><b>The workflow is published</b> (active): ${inProduction}`,
	},
	activationHint:
		"Once the workflow is ready, publish (activate) it, and enter the Production URL in the platform's console.",
};
