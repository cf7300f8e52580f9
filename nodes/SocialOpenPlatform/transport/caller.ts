import type { IExecuteFunctions, ISupplyDataFunctions } from 'n8n-workflow';

/** What n8n gives a node to work with: one that works on items, or one that supplies a model. */
export type Caller = IExecuteFunctions | ISupplyDataFunctions;
