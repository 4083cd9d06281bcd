import {
  plainSecret,
  secretWord,
  type ForeignWorld,
  type Operator,
  type Secrets,
  type SecretServer,
  type ServerTests,
  type Things,
} from '@posthorn/server/testing'
import { expect } from 'vitest'
import { SORTED, WORLD, writeJourney } from './server-seeds.ts'

const UNKNOWN = '01890a5d-ac96-774b-bcce-b302099a8057'
const RULES = {
  ...{ delimiter: ',', encoding: 'utf-8', headerLine: 1, sign: 'signed' },
  ...{ decimal: '.', thousands: '', dateFormat: 'yyyy-MM-dd' },
  columns: {
    ...{ externalTransactionId: 'external_transaction_id', amount: 'amount' },
    ...{ currency: 'currency', date: 'date' },
  },
}
const SUGGEST = { passes: [{ kind: 'amount_tolerance', absolute: 5, bps: 0 }] }

/** Payments, their webhooks, refunds and statements. */
async function make(operator: Operator): Promise<Things> {
  const { url, put, upload, items, first, untilIs } = operator
  const hooks = { url: `${url}/sim/merchant/hooks`, eventTypes: ['*'] }
  const { id: endpoint } = await operator.make('/api/v1/webhook-endpoints', hooks)
  const pay = { amount: 1_000, currency: 'EUR', externalPaymentId: 'A' }
  const { id: payment } = await operator.make('/api/v1/payments', pay)
  const path = `/api/v1/payments/${String(payment)}`
  await untilIs(path, 'succeeded')
  const { id: refundId } = await operator.make(`${path}/refunds`, { amount: 100 })
  await put('/api/v1/approval-limits', { limits: [{ currency: 'EUR', amount: 100 }] })
  const { id: proposal } = await operator.make(`${path}/refunds`, { amount: 500 })

  const csv = 'external_transaction_id,amount,currency,date\nA,9.99,EUR,2026-01-01\n'
  const runs = '/api/v1/reconciliations'
  const { id: run } = await upload(`${runs}?filename=bank.csv`, 'text/csv', csv)
  await operator.make(`${runs}/${String(run)}/run`)
  await operator.make(`${runs}/${String(run)}/suggest`, SUGGEST)
  const [suggestion] = await items(`${runs}/${String(run)}/suggestions`)
  const { id: profile } = await operator.make('/api/v1/reconciliation-profiles', {
    name: 'bank',
    rules: RULES,
  })
  const { body } = await operator.ask('GET', path)
  await operator.make('/sim/gateway/disputes', { chargeId: body['gatewayRef'], amount: 50 })
  const disputeId = await first(`${path}/disputes`)
  return {
    payments: { id: payment, refundId, disputeId },
    'webhook-events': { id: await first('/api/v1/webhook-events') },
    'webhook-endpoints': { id: endpoint },
    'webhook-deliveries': { id: await first('/api/v1/webhook-deliveries') },
    approvals: { id: proposal },
    reconciliations: { id: run, recordId: '2', suggestionId: suggestion?.['id'] },
    'reconciliation-profiles': { id: profile },
  }
}

const MATCH = 'reconciliations/{id}/records/{recordId}/match'
const DECISIONS = 'reconciliations/{id}/decisions'
const decide = (decision: Record<string, unknown>) => ({ reason: 'seen', decisions: [decision] })

function naming({ foreign }: ForeignWorld) {
  const { id: paymentId, refundId, disputeId } = foreign['payments'] ?? {}
  const named = { paymentIds: paymentId, refundIds: refundId, disputeIds: disputeId }
  return [
    {
      field: 'reconciliation-profiles/preview profile',
      id: foreign['reconciliation-profiles']?.['id'],
      body: (profile: unknown) => ({ profile, content: '' }),
    },
    {
      field: `${MATCH} paymentId`,
      id: paymentId,
      body: (id: unknown) => ({ reason: 'a', paymentId: id }),
    },
    ...Object.entries(named).flatMap(([name, id]) => [
      {
        field: `${MATCH} ${name}`,
        id,
        body: (theirs: unknown) => ({ reason: 'a', [name]: [theirs] }),
      },
      {
        field: `${DECISIONS} ${name}`,
        id,
        body: (theirs: unknown) => decide({ do: 'match', recordId: '2', [name]: [theirs] }),
      },
    ]),
    {
      field: `${DECISIONS} suggestionId`,
      id: foreign['reconciliations']?.['suggestionId'],
      body: (id: unknown) => decide({ do: 'accept', suggestionId: id }),
    },
  ]
}

async function expectNoForeignProfile({ ours, foreign, withoutIds }: ForeignWorld) {
  const read = async (profile: unknown) => {
    const path = `/api/v1/reconciliations?filename=b.csv&profile=${String(profile)}`
    const headers = { authorization: `Bearer ${ours.token}`, 'content-type': 'text/csv' }
    const sent = { method: 'POST', headers, body: 'a\n1\n' }
    const response = await fetch(`${ours.url}${path}`, sent)
    return { status: response.status, text: withoutIds(await response.text()) }
  }
  const there = await read(foreign['reconciliation-profiles']?.['id'])
  expect(there).toEqual(await read(UNKNOWN))
  expect(there.status).toBeGreaterThanOrEqual(400)
}

async function expectOwnAudit({ ours, theirs, foreign }: ForeignWorld) {
  const path = `/api/v1/audit/entries?entityId=${String(foreign['reconciliations']?.['id'])}`
  expect(await theirs.items(path)).toContainEqual(
    expect.objectContaining({
      ...{ audit: 'payments.audit_log', action: 'reconciliation.uploaded' },
      actor: 'operator of theirs',
    }),
  )
  expect(await ours.items(path)).toEqual([])
}

async function unchanged({ theirs, foreign }: ForeignWorld) {
  const read = async (room: string, below = '') => {
    const path = `/api/v1/${room}/${String(foreign[room]?.['id'])}${below}`
    return (await theirs.ask('GET', path)).body
  }
  expect(await read('payments')).toMatchObject({ status: 'succeeded' })
  expect(await read('approvals')).toMatchObject({ status: 'pending' })
  expect(await read('reconciliations')).toMatchObject({ discarded: null })
  expect(await read('webhook-endpoints')).toMatchObject({ status: 'enabled' })
  const line = await read('reconciliations', '/records/2')
  expect(line).toMatchObject({ status: 'unmatched', version: 0 })
}

/** Secrets of an endpoint and its address, and of a portal. */
async function give({ url, make: create }: SecretServer): Promise<Secrets> {
  const urlKey = secretWord()
  const endpoint = await create('/api/v1/webhook-endpoints', {
    url: `${url}/sim/merchant/hooks?key=${urlKey}`,
    eventTypes: ['*'],
  })
  const portal = await create('/api/v1/portal-tokens', {})
  return {
    ...{ urlKey, portalToken: String(portal['token']) },
    signingSecret: String(endpoint['secret']).replace(/^whsec_/, ''),
  }
}

export const serverTests: ServerTests = {
  access: {
    signed: /^\w+ \/api\/v1\/webhooks\/(payments|stripe)/,
    admins:
      /^((POST|PATCH|DELETE) \/api\/v1\/(webhook-endpoints|webhook-deliveries|webhook-events|portal-tokens)|PUT \/api\/v1\/approval-limits)(\/|$)/,
    approvers: /^POST \/api\/v1\/approvals\/\{id\}\/(approve|reject)$/,
    reading: /^POST \/api\/v1\/webhook-filters\//,
    portal: /^\w+ \/api\/v1\/(event-types|webhook-(endpoints|deliveries|filters)(\/|$))/,
  },
  sorting: {
    seed: SORTED,
    lists: [
      ...['/api/v1/approvals', '/api/v1/payments', '/api/v1/reconciliations'],
      ...['/api/v1/disputes', '/api/v1/refunds'],
      ...['/api/v1/webhook-deliveries', '/api/v1/webhook-events'],
    ],
  },
  foreign: {
    make,
    naming,
    unchanged,
    sought: [
      ...['payments id', 'payments refundId', 'reconciliations id'],
      ...['webhook-endpoints id', 'webhook-events id'],
    ],
    outside: ['externalPaymentId', 'externalTransactionId', 'recordId'],
    explained: [
      [/^\/api\/v1\/event-types\/\{type\}$/, 'the catalogue of events, the same for all'],
    ],
    bodies: {
      'PATCH payments': { metadata: { a: 'b' } },
      'POST approvals reject': { reason: 'no' },
      'POST reconciliations discard': { reason: 'wrong file' },
      'POST reconciliations decisions': {
        reason: 'old',
        decisions: [{ do: 'ignore', recordId: '2' }],
      },
      'POST reconciliations suggest': SUGGEST,
      'POST reconciliations match': { reason: 'seen', paymentId: UNKNOWN },
      'POST reconciliations unmatch': { reason: 'old' },
      'POST reconciliations ignore': { reason: 'old' },
      'POST reconciliations reopen': { reason: 'old' },
      'POST webhook-endpoints replay': { since: '2026-01-01T00:00:00Z' },
      'POST webhook-endpoints recover': { since: '2026-01-01T00:00:00Z' },
    },
    also: {
      'a statement is not read by a profile of theirs': expectNoForeignProfile,
      'the audit of a statement is searched by its id, each organisation its own': expectOwnAudit,
    },
  },
  secrets: {
    give,
    settings() {
      const key = secretWord()
      return {
        GATEWAY_API_KEY: plainSecret(),
        PAYMENTS_WEBHOOK_SECRET: plainSecret(),
        STRIPE_API_KEY: plainSecret('sk_test_'),
        STRIPE_WEBHOOK_SECRET: plainSecret('whsec_'),
        ALERTS_WEBHOOK_SECRET: plainSecret(`whsec_${secretWord().slice(0, 4)}`),
        // The server there does not answer: its errors are logged, stored and counted.
        ALERTS_WEBHOOK_URL: { value: `http://127.0.0.1:1/alerts?key=${key}`, secret: key },
      }
    },
    written: ['DOWN_FOR_MAINTENANCE', 'payment.succeeded'],
    mistakes: ['/api/v1/payments?limit=x'],
    pages: [
      /webhook-endpoints\/[^/]+$/,
      /webhook-deliveries\/[^/]+\/attempts$/,
      /payments\/[^/]+\/audit$/,
      /reconciliations\/[^/]+\/records\/[^/]+$/,
    ],
  },
  retention: {
    world: WORLD,
    sums: {
      payments: 'select sum(amount) from payments.payments',
      transactions: 'select sum(amount) from payments.transactions',
      lines: 'select sum(amount) from payments.reconciliation_records',
    },
    held: { kind: 'payment', table: 'payments.payments' },
  },
  journey: {
    links: ['case', 'reference'],
    async write(pool, world) {
      const { payment, delivery, line } = await writeJourney(pool, world)
      return { payment, delivery, line }
    },
    names: ({ payment }) => [`evt_failed_${payment}`],
    kinds: ['payment', 'statement line', 'webhook'],
    says: [
      ...['Payment created', 'Webhook payment.failed delivered', 'Line 1 of bank.csv uploaded'],
      'Line 1 of bank.csv is manual match',
    ],
    outboxes: { webhook: 'payments.webhook-deliveries' },
  },
  demo: ['Why: exact_match 2, no_match 1, duplicate 1, amount_mismatch 1, currency_mismatch 1.'],
  audit: {
    hasBusinessTime: true,
    async note(pool, id) {
      await pool.query(`select payments.create_audit_log('demo', 'ada', 'noted', 'thing', $1)`, [
        id,
      ])
    },
  },
}
