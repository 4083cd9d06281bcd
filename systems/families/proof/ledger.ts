import { createHash } from 'node:crypto'
import type { Arrival } from '../../../proof/kit/events/arrivals.ts'
import { audit } from '../../../proof/kit/events/audit.ts'
import type { Line } from '../../../proof/kit/ledger.ts'
import type { Books } from '../../../proof/kit/stand/system-proof.ts'
import {
  countUnexplainedFamilies,
  selectFamilyEvents,
  selectInvited,
  type Guest,
} from './queries.ts'

/** Where the events go, which is read to see their order. */
export const TOPIC = 'family-hub.events'

/** Every event arrived, in the order of its aggregate; every guest has a mail that opens the invitation, or an alert. */
export async function familyLines({ db, world, arrivals }: Books): Promise<Line[]> {
  const { items } = await world.read<{ items: { to: string | string[]; text: string }[] }>(
    '/mail/requests',
  )
  const mails = items.map(({ to, text }) => ({ to: [to].flat(), hash: hashIn(text) }))
  const guests = await selectInvited(db)
  const expected = guests.filter(({ isRefused }) => !isRefused)
  const isMailed = ({ email }: Guest) => mails.some(({ to }) => to.includes(email))
  const opens = ({ email, hash }: Guest) =>
    mails.some((mail) => mail.to.includes(email) && mail.hash === hash)
  return [
    ...(arrivals ? await eventLines(db, arrivals) : []),
    {
      name: 'families and invitations their events do not explain',
      value: await countUnexplainedFamilies(db),
      must: 0,
    },
    { name: 'guests invited', value: guests.length, atLeast: 1 },
    { name: 'of those refused by the mail server', value: guests.length - expected.length },
    {
      name: 'guests without a mail',
      value: expected.filter((guest) => !isMailed(guest)).length,
      must: 0,
    },
    {
      name: 'guests whose mail opens nothing',
      value: expected.filter((guest) => isMailed(guest) && !opens(guest)).length,
      must: 0,
    },
  ]
}

/** Of the token in the letter. */
function hashIn(text: string): string {
  const token = /token=([\w.~%-]+)/.exec(text)?.[1] ?? ''
  return createHash('sha256').update(decodeURIComponent(token)).digest('hex')
}

async function eventLines(db: Books['db'], all: readonly Arrival[]): Promise<Line[]> {
  const events = await selectFamilyEvents(db)
  const numbers = new Map(events.map(({ id, n }) => [id, n]))
  const { missing, strangers, duplicates, outOfOrder } = audit({
    entries: events.map((event) => ({ ...event, writtenMs: 0 })),
    rolledBack: new Set(),
    arrivals: all
      .filter(({ source }) => source === TOPIC)
      .map((arrival) => ({ ...arrival, n: numbers.get(arrival.id) ?? 0 })),
    effects: [],
  })
  return [
    { name: 'events of families', value: events.length, atLeast: 1 },
    { name: 'events missing', value: missing, must: 0 },
    { name: 'events unknown or changed', value: strangers, must: 0 },
    { name: 'events out of order', value: outOfOrder, must: 0 },
    { name: 'events more than once', value: duplicates },
  ]
}
