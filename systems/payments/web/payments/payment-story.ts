import { formatMoney, type StateRole } from '@posthorn/dashboard/kit'
import type { AuditEntry, GatewayTransaction, Payment, Refund } from './payment.ts'

export interface PaymentBooks {
  readonly entries: readonly AuditEntry[]
  readonly transactions: readonly GatewayTransaction[]
  readonly refunds: readonly Refund[]
}

export interface Phase {
  readonly id: string
  /** Null for what is still to come. */
  readonly at: string | null
  readonly what: string
  readonly role?: StateRole
  readonly details?: string
  /** Of the event of the gateway that did it. */
  readonly eventId?: string
}

/** The history of a payment and what it waits for, oldest first. */
export function storyOf(payment: Payment, books: PaymentBooks): Phase[] {
  const { entries, transactions } = books
  const phases = entries.toReversed().flatMap((entry) => phasesOf(entry, transactions))
  const next = nextOf(payment, books)
  return next === undefined ? phases : [...phases, next]
}

function phasesOf(entry: AuditEntry, transactions: readonly GatewayTransaction[]): Phase[] {
  const { id, action, actor, details, createdAt: at } = entry
  const phase = (what: string, rest: Partial<Phase> = {}): Phase => ({ id, at, what, ...rest })
  switch (action) {
    case 'payment.created':
      return [
        phase(`Idempotency key claimed and payment written, for ${actor}`, {
          role: 'ready',
          details: 'In one transaction: a repeat finds both, or neither.',
        }),
        ...askedOf(transactions.find(({ type }) => type === 'charge' || type === 'authorisation')),
      ]
    case 'payment.charged':
      return [phase(`The gateway charged it: ${textOf(details['gatewayRef'])}`, { role: 'sent' })]
    case 'payment.authorised':
      return [phase(`The gateway holds it: ${textOf(details['gatewayRef'])}`, { role: 'sent' })]
    case 'payment.capture_requested':
      return [phase(`${actor} asked to capture it`)]
    case 'payment.void_requested':
      return [phase(`${actor} asked to void it`)]
    case 'payment.captured':
      return [phase('The gateway captured it', { role: 'sent' })]
    case 'payment.voided':
      return [phase('The gateway released it', { role: 'cancelled' })]
    case 'payment.charge_pending':
      return [
        phase(
          details['nextAction'] === undefined
            ? `The gateway took it in and decides later: ${textOf(details['gatewayRef'])}`
            : `The bank wants the customer to authenticate: ${textOf(details['gatewayRef'])}`,
          { role: 'sent' },
        ),
      ]
    case 'payment.refund_requested':
      return [
        phase(`${actor} requested a refund`),
        ...askedOf(transactions.find((each) => each.id === details['refundId'])),
      ]
    case 'payment.changed':
      return [phase(`${actor} changed its metadata`)]
    case 'payment.refund_accepted':
      return [phase(`The gateway refunds it: ${textOf(details['gatewayRef'])}`, { role: 'sent' })]
    case 'gateway_error':
      return [troubleOf(entry, phase)]
    case 'webhook.reprocessed':
      return [
        phase(`${actor} had an event decided about again`, { eventId: textOf(details['eventId']) }),
      ]
    case 'webhook.processed':
      return [webhookOf(details, phase)]
    default:
      return [phase(`${action} by ${actor}`)]
  }
}

type Make = (what: string, rest?: Partial<Phase>) => Phase

/** The audit has no entry for the call itself; its transaction shows it. */
function askedOf(asked: GatewayTransaction | undefined): Phase[] {
  if (asked === undefined) return []
  const { type, amount, currency } = asked
  const verb = type === 'authorisation' ? 'hold the money' : 'charge'
  const what = type === 'refund' ? `refund ${formatMoney(amount, currency)}` : verb
  return [
    {
      id: asked.id,
      at: asked.createdAt,
      role: 'claimed',
      what: `The gateway was asked to ${what}`,
      details: `Under our key ${asked.gatewayKey}: a repeat has no further effect.`,
    },
  ]
}

function troubleOf({ details }: AuditEntry, phase: Make): Phase {
  const said = `${textOf(details['code'])}: ${textOf(details['message'])}`
  return details['retryable'] === true
    ? phase('The gateway did not answer', {
        role: 'retry',
        details: `${said}. The worker repeats the request under the same key until it answers.`,
      })
    : phase('The gateway refused', { role: 'dead', details: said })
}

const OUTCOMES: Readonly<Record<string, string>> = {
  unchanged: 'already known',
  forbidden: 'which is not possible: recorded, and an alert raised',
  kept: 'no change',
  parked: 'which cannot be applied yet: it is checked again with the next event',
  mismatch:
    'about another amount, currency or reference: it moved nothing, and an alert was raised',
}

function webhookOf(details: AuditEntry['details'], phase: Make): Phase {
  const type = textOf(details['type'])
  const eventId = textOf(details['eventId'])
  // The gateway was asked, since its webhook did not come.
  const who = eventId.startsWith('lookup_') ? 'The gateway, when asked,' : 'The gateway’s webhook'
  if (details['outcome'] !== 'applied') {
    const outcome = OUTCOMES[textOf(details['outcome'])] ?? textOf(details['outcome'])
    return phase(`${who} said ${type}, ${outcome}`, { eventId })
  }
  const to = textOf(details['to'])
  if (to === details['from']) return phase(`${who} said ${type}`, { role: roleOf(type), eventId })
  const role = to === 'failed' ? 'dead' : roleOf(type)
  return phase(`${who} said ${type}: the payment is ${to}`, {
    ...{ role, eventId, details: 'Processed once.' },
  })
}

/** The role of an event that does not change the payment's state. */
function roleOf(type: string): StateRole {
  if (type === 'dispute.opened' || type === 'dispute.inquiry') return 'retry'
  return type === 'dispute.lost' || type.endsWith('refund_failed') ? 'dead' : 'confirmed'
}

function nextOf(
  { status, authorisation, nextAction }: Payment,
  { transactions, refunds }: PaymentBooks,
): Phase | undefined {
  const open = transactions.find((each) => each.status === 'pending')
  const wait = (what: string): Phase => ({ id: 'next', at: null, what })
  if (nextAction) return wait('Waiting for the customer to authenticate')
  if (open !== undefined) return wait('Waiting for the gateway’s answer')
  if (authorisation === 'authorised') return wait('Waiting for you to capture or void it')
  if (status === 'pending') return wait('Waiting for the gateway’s webhook, which decides')
  const isRefunding = refunds.some((each) => each.status === 'pending')
  return isRefunding ? wait('Waiting for the webhook of the refund') : undefined
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '–'
}
