import type { Queryable } from '@posthorn/engine'
import { readArrivals } from '../../crash/arrivals.ts'
import { audit } from '../../crash/audit.ts'
import type { Line } from '../../crash/ledger.ts'
import { FAMILY_TOPIC } from '../system.ts'
import type { World } from '../world.ts'
import { countUnexplainedFamilies } from './audits/queries.ts'
import { selectFamilyEvents, selectInvited } from './queries.ts'

interface Mail {
  readonly to: string | readonly string[]
}

/** Every event arrived, in the order of its aggregate, and every guest has a mail or an alert. */
export async function familyLines(db: Queryable, folder: string, world: World): Promise<Line[]> {
  const events = await selectFamilyEvents(db)
  const numbers = new Map(events.map(({ id, n }) => [id, n]))
  const arrivals = (await readArrivals(folder))
    .filter(({ source }) => source === FAMILY_TOPIC)
    .map((arrival) => ({ ...arrival, n: numbers.get(arrival.id) ?? 0 }))
  const { missing, strangers, duplicates, outOfOrder } = audit({
    entries: events.map((event) => ({ ...event, writtenMs: 0 })),
    rolledBack: new Set(),
    arrivals,
    effects: [],
  })
  const { items } = await world.read<{ items: Mail[] }>('/mail/requests')
  const addressed = new Set(items.flatMap(({ to }) => [to].flat()))
  const invited = await selectInvited(db)
  const refused = invited.filter(({ isRefused }) => isRefused)
  return [
    { name: 'events of families', value: events.length, atLeast: 1 },
    { name: 'events missing', value: missing, must: 0 },
    { name: 'events unknown or changed', value: strangers, must: 0 },
    { name: 'events out of order', value: outOfOrder, must: 0 },
    { name: 'events more than once', value: duplicates },
    {
      name: 'families and invitations their events do not explain',
      value: await countUnexplainedFamilies(db),
      must: 0,
    },
    { name: 'guests invited', value: invited.length, atLeast: 1 },
    { name: 'of those refused by the mail server', value: refused.length },
    {
      name: 'guests without a mail',
      value: invited.filter(({ email, isRefused }) => !addressed.has(email) && !isRefused).length,
      must: 0,
    },
  ]
}
