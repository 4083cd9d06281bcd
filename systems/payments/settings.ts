import { Type } from 'typebox'
import { gatewaySettings } from '@posthorn/gateway'
import { reconciliationSettings } from './reconciliation/index.ts'
import { webhookSettings } from './webhooks/index.ts'

/** Signs the simulated gateway's webhooks by default. */
export const DEVELOPMENT_WEBHOOK_SECRET = 'a webhook secret for development only'

/** One that can stand beside another; alone, one may have spaces. */
const TOKEN = '(whsec_[A-Za-z0-9+/]{32,86}={0,2}|(?!whsec_)\\S{16,})'
const PASSPHRASE = '(?!whsec_)(?!.* whsec_).{16,}'

/**
 * The secrets of a setting: two, if it has one space between two that could each be one, else one.
 * Both are good while the gateway's is changed.
 */
export function webhookSecrets(setting: string): readonly string[] {
  const isTwo = new RegExp(`^${TOKEN} ${TOKEN}$`).test(setting)
  return isTwo ? setting.split(' ') : [setting]
}

export const paymentSettings = Type.Object({
  ...gatewaySettings,
  PAYMENTS_WEBHOOK_SECRET: Type.String({
    description:
      "what the gateway's webhooks are signed with: at least 16 characters, or whsec_ and a key in base64; two with a space between are both good",
    pattern: `^(${TOKEN}( ${TOKEN})?|${PASSPHRASE})$`,
    default: DEVELOPMENT_WEBHOOK_SECRET,
    production: 'required',
    when: ['GATEWAY', 'posthorn'],
    secret: true,
  }),
  PAYMENTS_WEBHOOK_REQUIRE_TIMESTAMP: Type.Boolean({
    description:
      "true: the gateway's webhooks must have the headers of Standard Webhooks, with a time; x-webhook-signature alone is refused",
    default: false,
  }),
  STRIPE_WEBHOOK_SECRET: Type.String({
    description:
      "what Stripe's webhooks are signed with, as whsec_…; two with a space between are both good",
    pattern: '^whsec_[A-Za-z0-9+/=_-]{16,250}( whsec_[A-Za-z0-9+/=_-]{16,250})?$',
    default: 'whsec_development_only_simulated',
    production: 'required',
    when: ['GATEWAY', 'stripe'],
    secret: true,
  }),
  PAYMENTS_FOUR_EYES_ABOVE: Type.Optional(
    Type.String({
      description:
        'above which amounts, in minor units, refunds and decisions take a second person where an organisation has not said so itself, as EUR=100000,*=0',
      pattern: '^([A-Z]{3}|\\*)=\\d{1,12}(,([A-Z]{3}|\\*)=\\d{1,12})*$',
    }),
  ),
  PAYMENTS_KEY_EXPIRES: Type.String({
    description: 'how long an idempotency key is known, as 24h or 7d',
    pattern: '^[1-9]\\d{0,4}(m|h|d)$',
    default: '24h',
  }),
  PAYMENTS_LOCK_MS: Type.Integer({
    description:
      'when an unfinished payment is taken over, from 1000 ms; never before the gateway had time for three answers',
    minimum: 1_000,
    maximum: 3_600_000,
    default: 60_000,
  }),
  ...webhookSettings,
  ...reconciliationSettings,
})
