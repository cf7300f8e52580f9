// Programs that test this package from outside load these names.
export { recipes, type SignatureRecipe } from './methods';
export { WebhookRejected } from './rejection';
export { verifyWebhook } from './verify';
