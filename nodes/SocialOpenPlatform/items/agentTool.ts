import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IExecuteFunctions,
	INodeProperties,
	ISupplyDataFunctions,
} from 'n8n-workflow';
import { type Failed, failed, type Issue, lines, paragraphOf } from '../platform/outcome';
import { enqueue } from '../platform/limiter';
import { CREDENTIAL_TYPE, readsItem } from '../platform/session';
import { accountChoices, findAccount, type Settings } from '../platform/settings';
import { labelsOf } from './parameters';

/*
 * These functions adapt the node to an AI agent, which repeats calls on its own, can change the
 * input item, and reads only the output and the error message.
 */

/** Whether an AI agent calls the node. n8n then adds `Tool` to the node's type. */
function isTool(context: IExecuteFunctions) {
	return context.getNode().type.endsWith('Tool');
}

/**
 * Matches an expression that reads the input item. Text before the first braces is ignored, because
 * n8n does not evaluate it.
 */
const READS_ITEM = /^=(?:(?!\{\{).)*\{\{.*\$(?:json|input|binary|data|items?|thisItem|tool)\b/s;

const USE_NODE =
	"uses data of the current item, which an agent can change; read it from a named node, such as {{ $('Node').first().json.account }}";

/** Matches the parts of an expression that read another node's item. Group 2 is the node's name. */
const READS_NODE =
	/\$(?:\(\s*|node\[)\s*(["'`])((?:\\.|[^\\])+?)\1\s*[)\]]\s*\??\.\s*(?:item|pairedItem|json|binary)\b/gs;

const CREDENTIAL_READS_ITEM =
	'Expressions in the credential read the item, which an agent can change. Enter fixed values.';

const MIXED_UP: Failed = {
	kind: 'invalid',
	failure: {
		message:
			'Nothing was sent: n8n mixed up the arguments of this call with those of another call at the same time',
		description: 'Use version 3 of the AI Agent, or make the calls one after the other.',
	},
};

const ASK_PERSON = 'Do not call again before a person has checked.';

/** Maximum number of account names in a message to an AI agent. */
const MAX_NAMES = 30;

/**
 * Refuses an AI agent's call if n8n mixed up its arguments, if an expression may read the wrong
 * item of another node, or if an expression in a field or in the credential reads the input item.
 * AI Agent version 3.1 merges the arguments into the input item, so the agent could choose such a
 * field's value. n8n reads `$fromAI('text')` from `query.text` of the input item first, so the
 * value could differ from the argument that a person has approved.
 *
 * @param properties the fields to check
 */
export async function refuseCall(
	context: IExecuteFunctions,
	properties: INodeProperties[],
): Promise<Failed | undefined> {
	if (!isTool(context)) return undefined;
	if (isMixedUp(context)) return MIXED_UP;
	const labels = labelsOf(properties);
	const query = Object(context.getInputData()[0]?.json.query) as object;
	const readsQuery = (text: string) =>
		READS_ITEM.test(text) || text.split(/["'`]/).some((part) => Object.hasOwn(query, part));
	const issuesIn = (value: unknown, field?: string): Issue[] => {
		if (typeof value !== 'string') {
			const entries = Object.entries(Object(value) as object);
			return entries.flatMap(([name, one]) => issuesIn(one, labels[name] ?? field));
		}
		const message = field && (readsQuery(value) ? USE_NODE : issueOfNodes(context, value));
		return message ? [{ field, message }] : [];
	};
	const issues = issuesIn(context.getNode().parameters);
	if (issues.length > 0) return failed.invalid(undefined, issues);
	// A credential that cannot be read is reported later, when the session is opened.
	const credential = context.getCredentials<ICredentialDataDecryptedObject>(CREDENTIAL_TYPE, 0);
	const data = await credential.catch(() => undefined);
	if (!data || !(await readsItem(context, data))) return undefined;
	return failed.credentialUnusable('the call', CREDENTIAL_READS_ITEM);
}

/**
 * Whether n8n has given the node the arguments of another call. Agents before version 3 that run at
 * the same time number their calls independently, and n8n finds the arguments by this number.
 */
function isMixedUp(context: IExecuteFunctions | ISupplyDataFunctions) {
	const { $runIndex } = context.getWorkflowDataProxy(0);
	return 'getNextRunIndex' in context && context.getNextRunIndex() !== Number($runIndex) + 1;
}

/** The `$` function of expressions. */
type NodeReader = (name: string) => { item: unknown; all: () => unknown[] };

/**
 * Returns an issue if an expression may read the wrong item of another node. n8n gives a tool the
 * first item of that node, even if the agent processes another one. In a loop, this is the item of
 * the first iteration.
 */
function issueOfNodes(context: IExecuteFunctions, text: string) {
	const names = [...text.matchAll(READS_NODE)].map(([, , name]) => name!.replace(/\\(.)/g, '$1'));
	const mistaken = names.find((name) => {
		try {
			const { item, all } = (context.getWorkflowDataProxy(0).$ as NodeReader)(name);
			return JSON.stringify(all().slice(0, 2)) !== JSON.stringify([item]);
		} catch {
			// n8n itself reports an expression that cannot be evaluated.
			return false;
		}
	});
	return (
		mistaken &&
		`may read the wrong item of '${mistaken}', because n8n gives a tool only the first one; put Loop Over Items (Batch Size 1) and Edit Fields before the agent, and use {{ $('Edit Fields').first() }}`
	);
}

/** Returns the arguments of an agent's call, or undefined if a workflow runs the node. */
export function argumentsOf(context: IExecuteFunctions): IDataObject | undefined {
	if (!isTool(context)) return undefined;
	// The ID that n8n adds is removed, because it differs even if an agent repeats a call.
	return { ...context.getInputData()[0]?.json, toolCallId: undefined };
}

/**
 * Runs a task. If a workflow runs the node, the task starts at once. An agent can repeat a call
 * that is under way, so its task waits for all earlier tasks of this node and execution with one of
 * the same names.
 */
export async function afterEarlierCalls<T>(
	context: IExecuteFunctions,
	names: string[],
	task: () => Promise<T>,
): Promise<T> {
	if (!isTool(context)) return await task();
	const execution = context.getExecutionId() ?? context.getWorkflow().id;
	const keys = names.map((name) => `${execution} ${context.getNode().name} ${name}`);
	return await keys.reduce((next, key) => async () => await enqueue(key, next), task)();
}

/**
 * Whether a post with an unknown outcome may be resent if the user allows it. An agent repeats
 * calls on its own, so its posts are resent only in a retry of the execution.
 */
export function mayResend(context: IExecuteFunctions) {
	return !isTool(context) || context.getMode() === 'retry';
}

/**
 * Returns a failure if an agent's call would exceed Max Posts per Run. If a workflow runs the node,
 * its posts are counted before the first one is sent.
 *
 * @param ledger contains the posts that this execution has sent
 */
export function tooManyCalls(
	context: IExecuteFunctions,
	ledger: { size: number },
	limit = Infinity,
): Failed | undefined {
	if (limit === Infinity || !isTool(context) || ledger.size < limit) return undefined;
	const message = `'Max Posts per Run' is ${limit}, and this execution has already sent as many posts`;
	const description = 'Nothing was sent. Do not call again.';
	return { kind: 'invalid', failure: { message, description } };
}

/** Returns the fields if an agent calls the node, and no fields otherwise. */
export function forAgent<T extends object>(context: IExecuteFunctions, fields: T): Partial<T> {
	return isTool(context) ? fields : {};
}

/**
 * Finds an account by its ID or its name. An issue for an agent lists the names that it can use. A
 * name that several accounts share is omitted, because the agent receives no IDs.
 */
export function findAccountFor(context: IExecuteFunctions, settings: Settings, given: string) {
	const found = findAccount(settings, given);
	if ('id' in found || !isTool(context)) return found;
	const names = accountChoices(settings.accounts)
		.filter(({ name, value }) => name === settings.accounts.get(value))
		.map(({ name }) => `“${name}”`);
	const advice =
		names.length === 0
			? 'no account in the credential has a unique name'
			: `use one of these names: ${names.slice(0, MAX_NAMES).join(', ')}`;
	return { issue: `(${given}) is not an available account; ${advice}` };
}

/** Returns advice for the person who builds the workflow, or an empty string for an agent. */
export function forPerson(context: IExecuteFunctions, advice: string) {
	return isTool(context) ? '' : advice;
}

/**
 * Whether the first failed item ends the run with an error. If not, failed items are part of the
 * output. Agents before version 3 pass an empty string to the model instead of an error, so the
 * node outputs the failure to them. n8n calls the node for these agents through a context that has
 * `getNextRunIndex`. With *Retry on Fail*, the node still throws, because n8n retries only after an
 * error.
 */
export function stopsAtFailure(context: IExecuteFunctions) {
	const isErrorLost = 'getNextRunIndex' in context && !context.getNode().retryOnFail;
	return !context.continueOnFail() && !isErrorLost;
}

/**
 * Returns a failure's message and description for a model, without the advice for the person who
 * builds the workflow.
 *
 * @returns undefined if no agent calls the node
 */
export function textForAgent(
	context: IExecuteFunctions,
	{ kind, failure, itemIndex }: Failed & { itemIndex: number },
) {
	if (!isTool(context)) return undefined;
	const isUnknown =
		kind === 'unknown' && context.getNodeParameter('resource', itemIndex) === 'post';
	let { description = '' } = failure;
	// Only the first line, about how to find the post or correct the request, is for a model.
	if (isUnknown || kind === 'incomplete') [description = ''] = description.split('\n');
	if (kind === 'not_sent') description = '';
	return paragraphOf({ ...failure, description: lines(description, isUnknown && ASK_PERSON) });
}
