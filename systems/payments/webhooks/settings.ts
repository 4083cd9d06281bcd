import { Type } from 'typebox'

/** What the webhooks of the system read from the environment. */
export const webhookSettings = {
  WEBHOOK_ALLOW_CIDRS: Type.String({
    description:
      'networks that webhooks may go to although they are not public, as 10.1.0.0/16 with commas between',
    pattern: '^[0-9a-fA-F:./, ]*$',
    default: '',
  }),
  WEBHOOK_HTTPS_ONLY: Type.Optional(
    Type.Boolean({
      description: 'true to refuse endpoints with http://, else false; true in production',
    }),
  ),
  WEBHOOK_TIMEOUT_MS: Type.Integer({
    description: 'milliseconds for a whole exchange with an endpoint, from 100 to 60000',
    minimum: 100,
    maximum: 60_000,
    default: 15_000,
  }),
  WEBHOOK_CONCURRENCY: Type.Integer({
    description: 'requests of one relay to one endpoint at the same time, from 1 to 100',
    minimum: 1,
    maximum: 100,
    default: 10,
  }),
  WEBHOOK_ATTEMPTS_DAYS: Type.Integer({
    description: 'days for which the requests and answers of attempts are kept',
    minimum: 1,
    maximum: 3_650,
    default: 30,
  }),
  WEBHOOK_DISABLE_AFTER_DAYS: Type.Integer({
    description:
      'days of nothing but failures after which an endpoint is disabled, with a warning at half of them; 0 for never',
    minimum: 0,
    maximum: 90,
    default: 5,
  }),
  ALERTS_WEBHOOK_URL: Type.Optional(
    Type.String({
      description:
        'where notices of alerts are posted to, as http(s)://…; without it there are none',
      pattern: '^https?://.+$',
      secret: true,
    }),
  ),
  ALERTS_WEBHOOK_SECRET: Type.Optional(
    Type.String({
      description: 'what notices of alerts are signed with, as whsec_…; without it they are not',
      pattern: '^whsec_[A-Za-z0-9+/]{32,88}={0,2}$',
      secret: true,
    }),
  ),
}
