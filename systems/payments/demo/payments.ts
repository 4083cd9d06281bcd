import { fail, type DemoStep, type Stage } from '@posthorn/system'
import type { Notes } from './index.ts'

interface Payment {
  readonly id: string
  readonly status: string
}

export const payments: DemoStep<Notes> = {
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
export async function pay(stage: Stage<Notes>, name: string, amount: number): Promise<string> {
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
