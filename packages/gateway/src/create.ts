import { Type, type Static } from 'typebox'
import type { Gateway } from './gateway.ts'
import { createPosthornGateway } from './posthorn.ts'
import { createStripeGateway } from './stripe/adapter.ts'

/** The gateway that the settings name. */
export function createGateway({ settings, baseUrl }: GatewayOptions): Gateway {
  const timeoutMs = settings.GATEWAY_TIMEOUT_MS
  const at = (url: string, name: string) =>
    url === SIMULATED ? `${baseUrl()}/sim/${name}` : url.replace(/\/$/, '')
  if (settings.GATEWAY === 'stripe') {
    const { STRIPE_API_URL: url = SIMULATED, STRIPE_API_KEY: apiKey = '' } = settings
    const usual = url === SIMULATED ? 'pm_card_visa' : undefined
    return createStripeGateway({
      ...{ origin: () => at(url, 'stripe'), apiKey, timeoutMs },
      paymentMethod: settings.STRIPE_PAYMENT_METHOD ?? usual,
    })
  }
  const { GATEWAY_URL: url, GATEWAY_API_KEY: apiKey } = settings
  return createPosthornGateway({ origin: () => at(url, 'gateway'), apiKey, timeoutMs })
}

/** Stands for the simulated gateway of this server. */
export const SIMULATED = 'simulated'

/** The settings of systems that charge; spread into a system's own. */
export const gatewaySettings = {
  GATEWAY: Type.Enum(['posthorn', 'stripe'], {
    description: 'payment gateway: posthorn, a small protocol at GATEWAY_URL, or stripe',
    default: 'posthorn',
  }),
  GATEWAY_URL: Type.String({
    description: 'address of the payment gateway, http(s)://…; in development the simulated one',
    pattern: `^(${SIMULATED}|https?://.+)$`,
    default: SIMULATED,
    production: 'required',
    when: ['GATEWAY', 'posthorn'],
  }),
  GATEWAY_API_KEY: Type.String({
    description: 'API key for the gateway',
    pattern: '^[\\x21-\\x7e]+$',
    default: SIMULATED,
    production: 'required',
    when: ['GATEWAY', 'posthorn'],
    secret: true,
  }),
  GATEWAY_TIMEOUT_MS: Type.Integer({
    description: "longest wait for the gateway's answer, 100 to 60000 ms",
    minimum: 100,
    maximum: 60_000,
    default: 10_000,
  }),
  STRIPE_API_URL: Type.String({
    description: 'address of Stripe, https://api.stripe.com; in development the simulated one',
    pattern: `^(${SIMULATED}|https?://.+)$`,
    default: SIMULATED,
    production: 'required',
    when: ['GATEWAY', 'stripe'],
  }),
  STRIPE_API_KEY: Type.String({
    description: 'secret or restricted key of the Stripe account, sk_… or rk_…',
    pattern: '^(sk|rk)_[A-Za-z0-9_]+$',
    default: 'sk_test_simulated',
    production: 'required',
    when: ['GATEWAY', 'stripe'],
    secret: true,
  }),
  STRIPE_PAYMENT_METHOD: Type.Optional(
    Type.String({
      description: 'default payment method, pm_…; the simulated Stripe has pm_card_visa',
      pattern: '^pm_[A-Za-z0-9_]+$',
    }),
  ),
}

const Settings = Type.Object(gatewaySettings)
type Values = Static<typeof Settings>
/** Without a choice it is the small protocol. */
export type GatewaySettings = Partial<Values> &
  Pick<Values, 'GATEWAY_URL' | 'GATEWAY_API_KEY' | 'GATEWAY_TIMEOUT_MS'>

export interface GatewayOptions {
  readonly settings: GatewaySettings
  /** Of this server: where the simulated gateway is. */
  baseUrl(): string
}
