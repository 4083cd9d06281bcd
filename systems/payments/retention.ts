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
                        where d.payment_id = p.id and d.status = 'opened')
       and not exists (select from payments.webhook_events as e where e.payment_id = p.id)
       and not exists (select from payments.reconciliation_records as r
                        where r.matched_payment_id = p.id)
       and not exists (select from payments.reconciliation_links as l where l.payment_id = p.id)
       and not exists (select from payments.reconciliation_refunds as f
                         join payments.transactions as x on x.id = f.refund_id
                        where x.payment_id = p.id)`

/** The payment or the run that an entry of the audit is about. */
const AUDITED = {
  payment: `case when t.entity_type = 'payment' then t.entity_id end`,
  reconciliation: `case when t.entity_type like 'reconciliation%' then t.entity_id end`,
}

/** The payment that a proposal is about. */
const PROPOSED = { payment: `case when t.kind in ('refund', 'capture', 'void') then t.subject end` }

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
      'payments.reconciliation_suggestions': 'goes with its record',
      'payments.reconciliation_profiles': 'settings of the organisation, named by its runs',
      'payments.reconciliation_profile_versions': 'settings of the organisation, named by its runs',
    },
  }
}

function moneyClasses({ keys, keyExpires }: KeyOptions): DataClass[] {
  const ofPayment = {
    uuid: 'id',
    dated: `(select p.settled_at from payments.payments as p
              where p.id = t.payment_id and ${PAYMENT_OVER})`,
    org: ORG_OF_PAYMENT,
    things: { payment: 't.payment_id' },
  }
  const reconciliation = { uuid: 'run_id', dated: RUN_OVER, org: ORG_OF_RUN }
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
          table: 'payments.webhook_events',
          key: ['event_id'],
          since: 'received_at',
          dated: 't.received_at',
          when: `t.outcome <> 'parked'
             and not exists (select from payments.payments as p
                              where p.id = t.payment_id and p.status = 'pending')`,
          org: 't.org_id',
          things: { payment: 't.payment_id' },
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
      maintained: [
        {
          table: 'payments.idempotency_keys',
          key: ['scope', 'key'],
          since: 'expires_at',
          dated: 't.expires_at',
        },
      ],
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
        {
          ...reconciliation,
          table: 'payments.reconciliation_history',
          key: ['seq'],
          things: { reconciliation: 't.run_id', payment: 't.payment_id' },
          audit: true,
        },
        {
          ...reconciliation,
          table: 'payments.reconciliation_details',
          key: ['run_id', 'line_number'],
          things: { reconciliation: 't.run_id', payment: 't.payment_id' },
        },
        {
          ...reconciliation,
          table: 'payments.reconciliation_records',
          key: ['run_id', 'line_number'],
          things: { reconciliation: 't.run_id', payment: 't.matched_payment_id' },
        },
        {
          table: 'payments.reconciliation_runs',
          key: ['id'],
          uuid: 'id',
          dated: 'coalesce(t.ran_at, t.created_at)',
          when: `t.status not in ('loaded', 'running')
             and not exists (select from payments.reconciliation_records as r where r.run_id = t.id)`,
          org: 't.org_id',
          things: { reconciliation: 't.id' },
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
        { ...ofPayment, table: 'payments.disputes', key: ['id'] },
        { ...ofPayment, table: 'payments.transactions', key: ['id'] },
        {
          table: 'payments.payments',
          key: ['id'],
          uuid: 'id',
          dated: 't.settled_at',
          when: `exists (select from payments.payments as p where p.id = t.id and ${PAYMENT_OVER})
             and not exists (select from payments.disputes as d where d.payment_id = t.id)
             and not exists (select from payments.transactions as x where x.payment_id = t.id)`,
          org: 't.org_id',
          things: { payment: 't.id' },
        },
      ],
    },
    {
      name: 'payments.proposals',
      title: 'Proposals that were decided or have expired',
      keep: '3650d',
      least: '365d',
      personal: true,
      leaves: 'The audit, with who proposed and who approved.',
      rules: [
        {
          table: 'payments.proposals',
          key: ['id'],
          uuid: 'id',
          dated: 't.decided_at',
          when: `t.status <> 'pending'`,
          org: 't.org_id',
          things: PROPOSED,
        },
      ],
    },
    {
      name: 'payments.audit',
      title: 'Audit of payments, webhooks and reconciliation',
      keep: '3650d',
      least: '1825d',
      personal: true,
      leaves: 'Its seals, and a note of the removal.',
      rules: [
        {
          table: 'payments.audit_log',
          key: ['seq'],
          since: 'created_at',
          dated: 't.created_at',
          org: 't.org_id',
          things: AUDITED,
          audit: true,
        },
      ],
    },
  ]
}

const moneyPersonal: PersonalTable[] = [
  {
    table: 'payments.audit_log',
    key: ['seq'],
    about: { externalId: `t.details::text like '%' || to_json($value)::text || '%'` },
    org: 't.org_id',
    things: AUDITED,
    audit: true,
  },
  {
    table: 'payments.proposals',
    key: ['id'],
    columns: {
      request_key: {
        to: `case when t.request_key ~* $pattern then 'erased-' || t.id else t.request_key end`,
      },
    },
    org: 't.org_id',
    busy: `t.status = 'pending'`,
    things: PROPOSED,
  },
  {
    table: 'payments.reconciliation_statements',
    key: ['run_id', 'number', 'currency'],
    org: ORG_OF_RUN,
    things: { reconciliation: 't.run_id' },
  },
  {
    table: 'payments.webhook_events',
    key: ['event_id'],
    about: { externalId: `t.payload::text like '%' || to_json($value)::text || '%'` },
    org: 'coalesce(t.org_id, $tenant)',
    busy: `t.outcome = 'parked'`,
    things: { payment: 't.payment_id' },
  },
  {
    table: 'payments.idempotency_keys',
    key: ['scope', 'key'],
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
  {
    table: 'payments.reconciliation_details',
    key: ['run_id', 'line_number'],
    org: ORG_OF_RUN,
    things: { reconciliation: 't.run_id', payment: 't.payment_id' },
  },
  {
    table: 'payments.reconciliation_history',
    key: ['seq'],
    org: ORG_OF_RUN,
    things: { reconciliation: 't.run_id', payment: 't.payment_id' },
    audit: true,
  },
  {
    table: 'payments.reconciliation_records',
    key: ['run_id', 'line_number'],
    about: { externalId: 't.external_transaction_id = $value' },
    org: ORG_OF_RUN,
    things: { reconciliation: 't.run_id', payment: 't.matched_payment_id' },
  },
  {
    table: 'payments.reconciliation_runs',
    key: ['id'],
    org: 't.org_id',
    things: { reconciliation: 't.id' },
  },
  {
    table: 'payments.transactions',
    key: ['id'],
    org: ORG_OF_PAYMENT,
    busy: `t.status = 'pending'`,
    things: { payment: 't.payment_id' },
  },
  {
    table: 'payments.disputes',
    key: ['id'],
    org: 't.org_id',
    busy: `t.status = 'opened'`,
    things: { payment: 't.payment_id' },
  },
  {
    table: 'payments.payments',
    key: ['id'],
    columns: {
      description: { to: `case when t.description is not null then '[erased]' end` },
      metadata: { to: `case when t.metadata is not null then '{"erased": true}'::jsonb end` },
    },
    about: { externalId: 't.external_payment_id = $value' },
    org: 't.org_id',
    busy: `t.status = 'pending'`,
    things: { payment: 't.id' },
  },
]
