import {
  advance,
  DemoError,
  fail,
  mend,
  stepsWith,
  type DemoChapter,
  type DemoStep,
  type Stage,
} from '@posthorn/system'

/** What later steps need from earlier ones. */
interface Notes {
  /** Payments of this run that succeeded, oldest first. */
  readonly payments: { readonly id: string; readonly name: string; readonly amount: number }[]
  /** Ids of the merchant's endpoints, by name. */
  readonly endpoints: Map<string, string>
}

interface Payment {
  readonly id: string
  readonly status: string
}

const payStep: DemoStep<Notes> = {
  id: 'payments',
  title: 'Payments that are charged once',
  about:
    'One payment succeeds, one is declined, and one takes its time because the gateway is slow. The ' +
    'first is asked for again under its key: it is answered, and not charged again.',
  look: [
    { label: 'Payments', path: '/payments' },
    { label: 'The gateway', path: '/simulators/gateway' },
  ],
  async play(stage) {
    const { api, tell } = stage
    await pay(stage, 'first', 12_990)
    tell('129.90 EUR were taken, and the gateway’s webhook said so: succeeded.')
    const again = await create(stage, 'first', 12_990)
    tell(`The same request again is the same payment, ${again.id}.`)
    await create(stage, 'declined', 5_002)
    tell('50.02 EUR were declined: 422, and the same answer for the same key from now on.')
    await fail(api, 'gateway', { mode: 'slow', delayMs: 1_500, times: 1 })
    await pay(stage, 'second', 7_500)
    tell('The gateway took its time for 75.00 EUR; they are taken once all the same.')
  },
}

/** Takes a payment and waits until the gateway has confirmed it; its id. */
async function pay(stage: Stage<Notes>, name: string, amount: number): Promise<string> {
  const { id } = await create(stage, name, amount)
  const isTaken = ({ status }: Payment) => status === 'succeeded'
  await stage.api.until<Payment>(`/api/v1/payments/${id}`, isTaken)
  stage.notes.payments.push({ id, name: nameOf(stage, name), amount })
  return id
}

async function create(stage: Stage<Notes>, name: string, amount: number): Promise<Payment> {
  return stage.api.post<Payment>('/api/v1/payments', {
    json: { amount, currency: 'EUR', externalPaymentId: nameOf(stage, name) },
    headers: { 'idempotency-key': nameOf(stage, name) },
    // Declined ones are part of the story.
    expect: [200, 201, 422],
  })
}

function nameOf({ run }: Stage<Notes>, name: string): string {
  return `demo-${run}-${name}`
}

interface Run {
  readonly matched: number
  readonly unmatched: number
  readonly total: number
  readonly matchRate: number
}

const reconciliation: DemoStep<Notes> = {
  id: 'reconciliation',
  title: 'What the bank says',
  about:
    'The bank’s file is compared with the payments of this demo: two lines match, one stands there ' +
    'twice, one has another amount, one another currency, and one has no payment.',
  look: [{ label: 'Reconciliation', path: '/reconciliation' }],
  async play({ api, run, notes, tell }) {
    const { id } = await api.post<{ id: string }>(
      `/api/v1/reconciliations?filename=bank-${run}.csv`,
      { content: { type: 'text/csv', bytes: statementOf(run, notes) } },
    )
    const result = await api.post<Run>(`/api/v1/reconciliations/${id}/run`)
    tell(`${result.matched} of ${result.total} lines match, ${result.matchRate} %.`)
    const { reasons } = await api.get<{ reasons: Readonly<Record<string, number>> }>(
      `/api/v1/reconciliations/${id}`,
    )
    const why = Object.entries(reasons).filter(([, count]) => count > 0)
    tell(`Why: ${why.map(([reason, count]) => `${reason} ${count}`).join(', ')}.`)
  },
}

/** A file that holds one line of each kind. */
function statementOf(run: string, { payments }: Notes): string {
  const [first, second, third, fourth] = payments
  const line = (name: string | undefined, amount: number, currency = 'EUR') =>
    `${name ?? `demo-${run}-none`},${(amount / 100).toFixed(2)},${currency},2026-03-07`
  return [
    'external_transaction_id,amount,currency,date',
    line(first?.name, first?.amount ?? 0),
    line(first?.name, first?.amount ?? 0),
    line(second?.name, second?.amount ?? 0),
    line(third?.name, (third?.amount ?? 0) + 10),
    line(fourth?.name, fourth?.amount ?? 0, 'USD'),
    line(`demo-${run}-unknown`, 4_200),
    '',
  ].join('\n')
}

interface Endpoint {
  readonly id: string
  readonly url: string
}

interface Delivery {
  readonly id: string
  readonly status: string
  readonly attempts: number
  readonly payload: { readonly data?: { readonly paymentId?: string } }
}

const DELIVERIES = { label: 'Webhook deliveries', path: '/webhooks/deliveries' }
const MERCHANT = { label: 'The merchant', path: '/simulators/merchant' }

/** Two endpoints: what goes wrong with one is nothing to the other. */
const ENDPOINTS = {
  'demo-shop': ['payment.succeeded', 'payment.failed', 'evidence.*', 'reconciliation.*'],
  'demo-returns': ['payment.refunded'],
} as const

const subscription: DemoStep<Notes> = {
  id: 'subscription',
  part: 'opening',
  title: 'A merchant asks for webhooks',
  about:
    'The simulated merchant gets two endpoints: one for payments, files and reconciliations, one ' +
    'for refunds. Every webhook is signed, and the merchant checks it.',
  look: [{ label: 'Endpoints', path: '/webhooks' }, MERCHANT],
  async play({ api, baseUrl, notes, tell }) {
    const hooks = `${baseUrl}/sim/merchant/hooks`
    const { items } = await api.get<{ items: Endpoint[] }>('/api/v1/webhook-endpoints')
    for (const [name, eventTypes] of Object.entries(ENDPOINTS)) {
      const url = `${hooks}/${name}`
      // Those of an earlier run serve again: an organisation may have so many and no more.
      const known = items.find((endpoint) => endpoint.url === url)
      const { id } = known
        ? await api.post<Endpoint>(`/api/v1/webhook-endpoints/${known.id}/enable`)
        : await api.post<Endpoint>('/api/v1/webhook-endpoints', { json: { url, eventTypes } })
      notes.endpoints.set(name, id)
      tell(`${url} receives ${eventTypes.join(', ')}.`)
    }
  },
}

const outage: DemoStep<Notes> = {
  id: 'outage',
  title: 'The merchant is down for a while',
  about:
    'The merchant answers 500 while two payments go through. The payments do not care; their ' +
    'webhooks fail and wait, 2, 4, 8, 16 seconds. Then the merchant is back, the clock moves a ' +
    'minute, and the webhooks arrive.',
  look: [DELIVERIES, MERCHANT],
  async play(stage) {
    const { api, tell } = stage
    await fail(api, 'merchant', { mode: 'error', status: 500 })
    const paid = [await pay(stage, 'third', 1_990), await pay(stage, 'fourth', 3_450_00)]
    const succeeded: Wanted = { endpoint: 'demo-shop', type: 'payment.succeeded', payments: paid }
    const failed = await deliveriesOf(stage, succeeded, ({ attempts }) => attempts > 0)
    tell(`The merchant answered 500: ${failed.length} webhooks wait for another attempt.`)
    await mend(api, 'merchant')
    await advance(api, '1m')
    await deliveriesOf(stage, succeeded, ({ status }) => status === 'delivered')
    tell('The merchant is back, and both webhooks were delivered by their retries.')
  },
}

const trouble: DemoStep<Notes> = {
  id: 'trouble',
  part: 'closing',
  title: 'Something is left for you',
  about:
    'The merchant closes for maintenance, and this time stays down. A payment is refunded; its ' +
    'webhook fails five times, faster than usual since the clock is moved, and is given up with an ' +
    'alert.',
  look: [
    {
      label: 'The webhook that was given up',
      path: '/webhooks/deliveries?status=abandoned',
    },
    { label: 'Alerts', path: '/alerts' },
    MERCHANT,
  ],
  async play(stage) {
    const { api, notes, tell } = stage
    const [payment] = notes.payments
    if (payment === undefined) throw new DemoError('no payment succeeded')
    const refunded: Wanted = {
      endpoint: 'demo-returns',
      type: 'payment.refunded',
      payments: [payment.id],
    }
    await fail(api, 'merchant', { mode: 'error', status: 503, code: 'DOWN_FOR_MAINTENANCE' })
    await api.post(`/api/v1/payments/${payment.id}/refunds`)
    for (let attempt = 1; attempt < ATTEMPTS; attempt += 1) {
      await deliveriesOf(stage, refunded, ({ attempts }) => attempts >= attempt)
      tell(`Attempt ${attempt}: the merchant answered 503.`)
      await advance(api, '1m')
    }
    const isGivenUp = ({ status }: Delivery) => status === 'abandoned'
    const [given] = await deliveriesOf(stage, refunded, isGivenUp)
    tell(`Attempt ${ATTEMPTS}: the merchant answered 503.`)
    tell(`The webhook ${given?.id} is abandoned, and there is an alert.`)
    tell('Your turn: open it, and read in its last attempt what the merchant answered.')
    tell('Then open the simulator merchant, clear its fault, go back and replay the webhook.')
    tell('It is delivered, and the alert ends by itself.')
  },
}

const ATTEMPTS = 5

interface Wanted {
  readonly endpoint: keyof typeof ENDPOINTS
  readonly type: string
  readonly payments: readonly string[]
}

/** Waits until the webhook of each payment to an endpoint is as wished. */
async function deliveriesOf(
  { api, notes }: Stage<Notes>,
  { endpoint, type, payments }: Wanted,
  isDone: (delivery: Delivery) => boolean,
): Promise<Delivery[]> {
  const query = new URLSearchParams({
    endpointId: notes.endpoints.get(endpoint) ?? '',
    eventType: type,
  })
  const ofThese = (items: readonly Delivery[]) =>
    payments.map((id) => items.find(({ payload }) => payload.data?.paymentId === id))
  const { items } = await api.until<{ items: Delivery[] }>(
    `/api/v1/webhook-deliveries?${query}`,
    (page) => ofThese(page.items).every((each) => each !== undefined && isDone(each)),
  )
  return ofThese(items).filter((each) => each !== undefined)
}

export const demo: DemoChapter = {
  simulators: ['gateway', 'merchant'],
  steps() {
    const notes: Notes = { payments: [], endpoints: new Map() }
    return stepsWith(notes, [subscription, payStep, outage, reconciliation, trouble])
  },
}
