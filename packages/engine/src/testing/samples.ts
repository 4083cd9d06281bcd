import type { Outbox } from '../outbox/define.ts'
import { uuid } from '../uuid.ts'
import {
  parcelRows,
  clubEvents,
  logEvents,
  outboundLetters,
  tripEvents,
  hookDeliveries,
} from './outboxes.ts'

/** One of the five outboxes with messages for it, different for every `n`. */
export interface Sample {
  readonly name: string
  readonly outbox: Outbox
  sample(n: number): Record<string, unknown>
}

function makeSample(outbox: unknown, sample: (n: number) => Record<string, unknown>): Sample {
  // The five have row types of their own; what runs on all of them sees columns by their names.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as the comment says
  const box = outbox as Outbox
  return { name: box.name, outbox: box, sample }
}

/** All five, for tests of many outboxes at once. Messages of the ordered one have ten keys. */
export const SAMPLES: readonly Sample[] = [
  makeSample(parcelRows, (n) => ({ tour_id: uuid(), address_id: `address-${n}` })),
  makeSample(tripEvents, (n) => ({ topic: 'orders', event_type: 'order.placed', payload: { n } })),
  makeSample(outboundLetters, (n) => ({
    org_id: n % 2 === 0 ? 'acme' : 'umbrella',
    idempotency_key: `${n}-${uuid()}`,
    channel: 'whatsapp',
    to_recipient: '+16505551234',
    payload_json: { n },
  })),
  makeSample(hookDeliveries, (n) => ({ endpoint_id: 'shop', payload: { n } })),
  makeSample(clubEvents, (n) => ({
    event_type: 'ClubCreated',
    aggregate_type: 'club',
    aggregate_id: `00000000-0000-4000-8000-00000000000${n % 10}`,
    payload: { n },
  })),
]

/** The three ways of claiming, for tests that run on each: a claim in columns, a claimed state, a key's lease. */
export const SHAPES: readonly Sample[] = SAMPLES.filter(({ name }) =>
  [parcelRows.name, outboundLetters.name, clubEvents.name].includes(name),
)

/** A log in front of its table. */
export const LOGGED: Sample = makeSample(logEvents, (n) => ({
  event_type: 'ClubCreated',
  aggregate_type: 'club',
  aggregate_id: `00000000-0000-4000-8000-00000000000${n % 10}`,
  payload: { n },
}))
