import { Type } from 'typebox'
import { gatewaySettings } from '@posthorn/gateway'
import { wholeNumber } from '@posthorn/system'
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
      "secret of the gateway's webhooks: at least 16 characters, or whsec_ and a key in base64; may be two, separated by a space",
    pattern: `^(${TOKEN}( ${TOKEN})?|${PASSPHRASE})$`,
    default: DEVELOPMENT_WEBHOOK_SECRET,
    production: 'required',
    when: ['GATEWAY', 'posthorn'],
    secret: true,
  }),
  PAYMENTS_WEBHOOK_REQUIRE_TIMESTAMP: Type.Boolean({
    description:
      'true requires the headers of Standard Webhooks, with a time; x-webhook-signature alone is refused',
    default: false,
  }),
  STRIPE_WEBHOOK_SECRET: Type.String({
    description: "secret of Stripe's webhooks, whsec_…; may be two, separated by a space",
    pattern: '^whsec_[A-Za-z0-9+/=_-]{16,250}( whsec_[A-Za-z0-9+/=_-]{16,250})?$',
    default: 'whsec_development_only_simulated',
    production: 'required',
    when: ['GATEWAY', 'stripe'],
    secret: true,
  }),
  PAYMENTS_FOUR_EYES_ABOVE: Type.Optional(
    Type.String({
      description:
        'default amounts, in minor units, above which refunds and decisions need a second person: EUR=100000,*=0',
      pattern: '^([A-Z]{3}|\\*)=\\d{1,12}(,([A-Z]{3}|\\*)=\\d{1,12})*$',
    }),
  ),
  PAYMENTS_KEY_EXPIRES: Type.String({
    description: 'how long idempotency keys are kept: 24h, 7d',
    pattern: '^[1-9]\\d{0,4}(m|h|d)$',
    default: '24h',
  }),
  PAYMENTS_LOCK_MS: wholeNumber(
    'when another process takes over an unfinished payment, from 1000 ms; at least three times GATEWAY_TIMEOUT_MS',
    [1_000, 3_600_000, 60_000],
  ),
  ...webhookSettings,
  ...reconciliationSettings,
})
