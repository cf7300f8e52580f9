import { testAgents } from './agentTests';
import { testCredential } from './credentialTests';
import { usePostSetup, type PostSetup } from './postSetup';
import { testSecrets } from './secretTests';
import { testTrigger } from './triggerTests';
import { newest, thisHost } from '../n8n/hosts';

let set: PostSetup;
// With these settings, n8n logs the most.
const env = { N8N_LOG_LEVEL: 'debug', N8N_LOG_OUTPUT: 'console,file', N8N_METRICS: 'true' };
const webhookRetryDelaysMs = Array<number>(100).fill(100);
usePostSetup((started) => (set = started), { env }, { webhookRetryDelaysMs });

describe('Credential', () => testCredential(() => set.setup));

describe('Agents', () => testAgents(() => set));

describe('Trigger', () => testTrigger(() => set));

if (thisHost === newest) describe('Secrets', () => testSecrets(() => set));
