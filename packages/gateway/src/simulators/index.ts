export { gateway } from './posthorn/index.ts'
export type { SimulatedGatewayOptions, WebhookReceiver } from './receiver.ts'
export { stripe } from './stripe/index.ts'
