/** Requests to the two chat operations. */

export const COMPLETIONS = '/v1/chat/completions';
export const RESPONSES = '/v1/responses';

export const hello = { messages: [{ role: 'user', content: 'hello there' }] };

/** Returns the body of the same request for either operation. */
export const asking = (path: string) => (path === RESPONSES ? { input: 'hello there' } : hello);
