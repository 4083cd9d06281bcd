import type { DataClass, PersonalTable, RetentionCatalogue } from '@posthorn/operate'

const ORG_OF_DELIVERY =
  '(select d.org_id from payments.webhook_deliveries as d where d.id = t.delivery_id)'
const ORG_OF_ENDPOINT =
  '(select e.org_id from payments.webhook_endpoints as e where e.id = t.endpoint_id)'
const PAYMENT_OF_DELIVERY = `t.payload -> 'data' ->> 'paymentId'`

/** Tables that both go by their age and have data of persons. */
const ATTEMPTS = { table: 'payments.webhook_attempts', key: ['id'], org: ORG_OF_DELIVERY }
const HOURS = {
  table: 'payments.webhook_endpoint_hours',
  key: ['endpoint_id', 'hour'],
  org: ORG_OF_ENDPOINT,
}
const NOTICES = { table: 'payments.alert_notices', key: ['id'] }
const DELIVERIES = {
  table: 'payments.webhook_deliveries',
  key: ['id'],
  org: 't.org_id',
  things: { payment: PAYMENT_OF_DELIVERY },
}

const FAN_OUTS = {
  table: 'payments.fan_outs',
  key: ['id'],
  org: 't.tenant',
  things: { payment: `t.payload -> 'payload' -> 'data' ->> 'paymentId'` },
}

/** What webhooks keep; `attemptsDays` is `WEBHOOK_ATTEMPTS_DAYS`. */
export function webhookRetention(attemptsDays: number): RetentionCatalogue {
  return {
    classes: webhookClasses(attemptsDays),
    personal: webhookPersonal,
    kept: {
      'payments.fan_outs': 'an event goes a day after its deliveries were written',
      'payments.webhook_rates': 'one row for each endpoint',
      'payments.webhook_tallies': 'summed up into hours within a minute',
    },
  }
}

function webhookClasses(attemptsDays: number): DataClass[] {
  return [
    {
      name: 'payments.webhook-attempts',
      title: 'Attempts of webhook deliveries: requests and responses',
      keep: `${attemptsDays}d`,
      least: '1d',
      personal: true,
      leaves: 'The delivery, with how often it was tried and its last error.',
      rules: [{ ...ATTEMPTS, uuid: 'id', dated: 't.started_at' }],
    },
    {
      name: 'payments.webhook-deliveries',
      title: 'Ended webhook deliveries',
      keep: '90d',
      least: '7d',
      personal: true,
      leaves: 'The audit of the delivery.',
      rules: [
        {
          ...DELIVERIES,
          uuid: 'id',
          dated: 'greatest(t.created_at, t.delivered_at, t.next_attempt_at)',
          when: `t.status in ('delivered', 'abandoned', 'skipped_disabled')`,
        },
      ],
    },
    {
      name: 'payments.webhook-runs',
      title: 'Runs of the retry job for webhooks',
      keep: `${attemptsDays}d`,
      personal: false,
      leaves: 'Nothing.',
      rules: [
        {
          table: 'payments.webhook_retry_runs',
          key: ['org_id', 'id'],
          since: 'ran_at',
          dated: 't.ran_at',
          org: 't.org_id',
        },
      ],
    },
    {
      name: 'payments.webhook-secrets',
      title: 'Secrets of webhook endpoints that no longer sign',
      keep: '0d',
      fixed: true,
      personal: false,
      leaves: 'Nothing: a secret that no longer signs can only leak.',
      rules: [{ table: 'payments.webhook_secrets', key: ['id'], dated: 't.expires_at' }],
    },
    {
      name: 'payments.webhook-endpoints',
      title: 'Deleted webhook endpoints',
      keep: '30d',
      personal: false,
      leaves: 'Their audit. An endpoint stays as long as one of its deliveries.',
      rules: [
        {
          table: 'payments.webhook_endpoints',
          key: ['id'],
          dated: 't.deleted_at',
          when: `not exists (select from payments.webhook_deliveries as d where d.endpoint_id = t.id)`,
          org: 't.org_id',
        },
      ],
    },
    {
      name: 'payments.webhook-health',
      title: 'Hourly counts of deliveries to webhook endpoints',
      keep: '90d',
      least: '1d',
      personal: false,
      leaves: 'The deliveries, as long as they are kept.',
      rules: [{ ...HOURS, since: 'hour', dated: 't.hour' }],
    },
    {
      name: 'payments.alert-notices',
      title: 'Sent notices of alerts',
      keep: '90d',
      personal: false,
      leaves: 'The alert.',
      rules: [
        {
          ...NOTICES,
          uuid: 'id',
          dated: 'greatest(t.created_at, t.sent_at)',
          when: `t.status in ('delivered', 'abandoned')`,
        },
      ],
    },
  ]
}

const webhookPersonal: PersonalTable[] = [
  // Written when it is over.
  ATTEMPTS,
  {
    ...DELIVERIES,
    about: { externalId: `t.payload::text like '%' || to_json($value)::text || '%'` },
    busy: `t.status in ('pending', 'failed')`,
  },
  {
    ...FAN_OUTS,
    about: { externalId: `t.payload::text like '%' || to_json($value)::text || '%'` },
    busy: `t.status = 'pending'`,
  },
  HOURS,
  {
    ...NOTICES,
    org: 'coalesce((select a.tenant from posthorn.alert as a where a.id = t.alert_id), $tenant)',
    busy: `t.status in ('pending', 'failed')`,
  },
]
