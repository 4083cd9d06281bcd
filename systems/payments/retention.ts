import type { Duration } from '@posthorn/engine'
import { pruneKeys, type IdempotencyStore } from '@posthorn/engine/inbox'
import {
  mergeCatalogues,
  type DataClass,
  type PersonalTable,
  type RetentionCatalogue,
} from '@posthorn/operate'
import { webhookRetention } from './webhooks/retention.ts'

interface KeyOptions {
  readonly keys: IdempotencyStore
  /** How long a key is known: it goes when it expires. */
  readonly keyExpires: Duration
}

export interface RetentionOptions extends KeyOptions {
  /** `WEBHOOK_ATTEMPTS_DAYS`. */
  readonly attemptsDays: number
}

const ORG_OF_RUN = '(select r.org_id from payments.reconciliation_runs as r where r.id = t.run_id)'
const ORG_OF_PAYMENT = '(select p.org_id from payments.payments as p where p.id = t.payment_id)'

/** When a run was over; null while it is not. */
const RUN_OVER = `(select coalesce(r.ran_at, r.created_at)
                     from payments.reconciliation_runs as r
                    where r.id = t.run_id and r.status not in ('loaded', 'running'))`

/** True of payments that are settled, with nothing on its way, and that no other data names. */
const PAYMENT_OVER = `p.status <> 'pending'
       and not exists (select from payments.transactions as x
                        where x.payment_id = p.id and x.status = 'pending')
       and not exists (select from payments.disputes as d
                        where d.payment_id = p.id and d.closed_at is null)
       and not exists (select from payments.webhook_events as e where e.payment_id = p.id)
       and not exists (select from payments.reconciliation_records as r
                        where r.matched_payment_id = p.id)
       and not exists (select from payments.reconciliation_links as l where l.payment_id = p.id)
       and not exists (select from payments.reconciliation_reversals as f
                         join payments.reversals as x on x.id = f.id
                        where x.payment_id = p.id)`

const OF_RUN = { reconciliation: 't.run_id', payment: 't.payment_id' }
const LINE = ['run_id', 'line_number']

/** Tables that both go by their age and have data of persons. */
const PAYMENTS = {
  table: 'payments.payments',
  key: ['id'],
  org: 't.org_id',
  things: { payment: 't.id' },
}
const TRANSACTIONS = {
  table: 'payments.transactions',
  key: ['id'],
  org: ORG_OF_PAYMENT,
  things: { payment: 't.payment_id' },
}
const DISPUTES = { ...TRANSACTIONS, table: 'payments.disputes', org: 't.org_id' }
const EVENTS = {
  table: 'payments.webhook_events',
  key: ['event_id'],
  things: { payment: 't.payment_id' },
}
const KEYS = { table: 'payments.idempotency_keys', key: ['scope', 'key'] }
const PROPOSALS = {
  table: 'payments.proposals',
  key: ['id'],
  org: 't.org_id',
  // The payment that a proposal is about.
  things: { payment: `case when t.kind in ('refund', 'capture', 'void') then t.subject end` },
}
const AUDIT = {
  table: 'payments.audit_log',
  key: ['seq'],
  org: 't.org_id',
  // The payment or the run that an entry is about.
  things: {
    payment: `case when t.entity_type = 'payment' then t.entity_id end`,
    reconciliation: `case when t.entity_type like 'reconciliation%' then t.entity_id end`,
  },
  audit: true,
} as const
const RUNS = {
  ...PAYMENTS,
  table: 'payments.reconciliation_runs',
  things: { reconciliation: 't.id' },
}
const DETAILS = {
  table: 'payments.reconciliation_details',
  key: LINE,
  org: ORG_OF_RUN,
  things: OF_RUN,
}
const HISTORY = {
  ...DETAILS,
  table: 'payments.reconciliation_history',
  key: ['seq'],
  audit: true,
} as const
const RECORDS = {
  ...DETAILS,
  table: 'payments.reconciliation_records',
  things: { ...OF_RUN, payment: 't.matched_payment_id' },
}

/** What payments, webhooks and reconciliation keep. */
export function paymentRetention({
  attemptsDays,
  ...options
}: RetentionOptions): RetentionCatalogue {
  return mergeCatalogues([webhookRetention(attemptsDays), moneyRetention(options)])
}

function moneyRetention(options: KeyOptions): RetentionCatalogue {
  return {
    classes: moneyClasses(options),
    things: {
      payment: { table: 'payments.payments', id: 'id', org: 'org_id' },
      reconciliation: { table: 'payments.reconciliation_runs', id: 'id', org: 'org_id' },
    },
    personal: moneyPersonal,
    kept: {
      'payments.approval_limits': 'settings of the organisation',
      'payments.tasks': 'ids alone, which go a day after they were worked on',
      'payments.reconciliation_statements': 'goes with its run',
      'payments.reconciliation_suggestions': 'goes with its record',
      'payments.reconciliation_profiles': 'settings of the organisation, named by its runs',
      'payments.reconciliation_profile_versions': 'settings of the organisation, named by its runs',
    },
  }
}

function moneyClasses({ keys, keyExpires }: KeyOptions): DataClass[] {
  const settled = `(select p.settled_at from payments.payments as p
                     where p.id = t.payment_id and ${PAYMENT_OVER})`
  const ofPayment = { uuid: 'id', dated: settled, org: ORG_OF_PAYMENT }
  const ofRun = { uuid: 'run_id', dated: RUN_OVER }
  return [
    {
      name: 'payments.webhook-events',
      title: 'Webhook events from the gateway',
      keep: '365d',
      // The gateway repeats an event for days: forgotten too early, it would be new.
      least: '30d',
      personal: true,
      leaves: 'The payment and its audit. Events of payments that are pending stay.',
      rules: [
        {
          ...EVENTS,
          since: 'received_at',
          dated: 't.received_at',
          when: `t.outcome <> 'parked'
             and not exists (select from payments.payments as p
                              where p.id = t.payment_id and p.status = 'pending')`,
          org: 't.org_id',
        },
      ],
    },
    {
      name: 'payments.idempotency-keys',
      title: 'Idempotency keys of payments',
      keep: keyExpires,
      fixed: true,
      personal: true,
      leaves: 'The payment. PAYMENTS_KEY_EXPIRES says when a key expires.',
      maintained: [{ ...KEYS, since: 'expires_at', dated: 't.expires_at' }],
      prune: ({ pool }) => pruneKeys(pool, keys),
    },
    {
      name: 'payments.reconciliations',
      title: 'Reconciliation runs with their records and decisions',
      keep: '3650d',
      least: '365d',
      personal: true,
      leaves: 'The payments and the audit. Runs that are not completed stay.',
      rules: [
        { ...HISTORY, ...ofRun },
        { ...DETAILS, ...ofRun },
        { ...RECORDS, ...ofRun },
        {
          ...RUNS,
          uuid: 'id',
          dated: 'coalesce(t.ran_at, t.created_at)',
          when: `t.status not in ('loaded', 'running')
             and not exists (select from payments.reconciliation_records as r where r.run_id = t.id)`,
        },
      ],
    },
    {
      name: 'payments.payments',
      title: 'Payments with their transactions and disputes',
      keep: '3650d',
      least: '1825d',
      personal: true,
      leaves: 'The audit. A payment stays as long as an event or a statement names it.',
      rules: [
        { ...DISPUTES, ...ofPayment },
        { ...TRANSACTIONS, ...ofPayment },
        {
          ...PAYMENTS,
          uuid: 'id',
          dated: 't.settled_at',
          when: `exists (select from payments.payments as p where p.id = t.id and ${PAYMENT_OVER})
             and not exists (select from payments.disputes as d where d.payment_id = t.id)
             and not exists (select from payments.transactions as x where x.payment_id = t.id)`,
        },
      ],
    },
    {
      name: 'payments.proposals',
      title: 'Decided and expired proposals',
      keep: '3650d',
      least: '365d',
      personal: true,
      leaves: 'The audit, with proposer and approver.',
      rules: [{ ...PROPOSALS, uuid: 'id', dated: 't.decided_at', when: `t.status <> 'pending'` }],
    },
    {
      name: 'payments.audit',
      title: 'Audit of payments, webhooks and reconciliation',
      keep: '3650d',
      least: '1825d',
      personal: true,
      leaves: 'Its seals, and a note of the removal.',
      rules: [{ ...AUDIT, since: 'created_at', dated: 't.created_at' }],
    },
  ]
}

const PENDING = `t.status = 'pending'`
/** What is called by a customer's own id, somewhere in a JSON text. */
const inText = (column: string) => ({
  externalId: `t.${column}::text like '%' || to_json($value)::text || '%'`,
})

const moneyPersonal: PersonalTable[] = [
  { ...AUDIT, about: inText('details') },
  {
    ...PROPOSALS,
    columns: {
      request_key: {
        to: `case when t.request_key ~* $pattern then 'erased-' || t.id else t.request_key end`,
      },
    },
    busy: PENDING,
  },
  {
    table: 'payments.reconciliation_statements',
    key: ['run_id', 'number', 'currency'],
    org: ORG_OF_RUN,
    things: { reconciliation: 't.run_id' },
  },
  {
    ...EVENTS,
    about: inText('payload'),
    org: 'coalesce(t.org_id, $tenant)',
    busy: `t.outcome = 'parked'`,
  },
  {
    ...KEYS,
    columns: {
      // The client chose it, and may have put anything into it.
      key: {
        to: `case when t.key ~* $pattern then 'erased-' || gen_random_uuid() else t.key end`,
      },
    },
    about: {
      externalId: `position(convert_to(to_json($value)::text, 'UTF8') in t.response_body) > 0`,
    },
    org: `case when t.scope like '[%' then t.scope::jsonb ->> 0 else $tenant end`,
    busy: 't.completed_at is null',
  },
  DETAILS,
  HISTORY,
  { ...RECORDS, about: { externalId: 't.external_transaction_id = $value' } },
  RUNS,
  { ...TRANSACTIONS, busy: PENDING },
  { ...DISPUTES, busy: 't.closed_at is null' },
  {
    ...PAYMENTS,
    columns: {
      description: { to: `case when t.description is not null then '[erased]' end` },
      metadata: { to: `case when t.metadata is not null then '{"erased": true}'::jsonb end` },
    },
    about: { externalId: 't.external_payment_id = $value' },
    busy: PENDING,
  },
]
