import { config } from '@n8n/node-cli/eslint';
import { globalIgnores } from 'eslint/config';

/**
 * n8n's own configuration, which `n8n-node lint` uses. It is made for nodes: tests would break its rules
 * against Node's modules and timers. The strict mode of n8n's tool would not allow to leave them out.
 * `eslint.project.mjs` has the rules of this project, for all files.
 */
export default [...config, globalIgnores(['coverage', 'test', '.demo', '.host'])];
