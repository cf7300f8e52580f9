// External programs that test this package import these names.
export { recipes, type SignatureRecipe } from './methods';
export { verifyWebhook, WebhookRejected } from './verify';
