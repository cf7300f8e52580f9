// Programs that test this package from outside import these names.
export { recipes, type SignatureRecipe } from './methods';
export { verifyWebhook, WebhookRejected } from './verify';
