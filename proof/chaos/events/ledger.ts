import type { Queryable } from '@posthorn/engine'
import type { Arrival } from '../../kit/events/arrivals.ts'
import { audit, findingLines } from '../../kit/events/audit.ts'
import { namedLines, type Line } from '../../kit/ledger.ts'
import { selectEffects, selectEntries, selectStanding } from '../../kit/events/queries.ts'
import type { WrittenEvents } from './load.ts'
import { chaosOutboxes, rowEvents } from './outbox.ts'

/** Both ends of the outboxes of the run itself, message by message. */
export async function eventLines(
  db: Queryable,
  all: readonly Arrival[],
  { byOutbox, poison, indigestible }: WrittenEvents,
): Promise<Line[]> {
  const lines: Line[] = []
  for (const outbox of chaosOutboxes) {
    const { name, order } = outbox
    const written = byOutbox.get(name)
    if (!written) continue
    // Poisoned ones are left out on one side: that they arrived would be seen on the other.
    const never = outbox.name === rowEvents.name ? [...poison, ...indigestible] : []
    const found = audit({
      entries: (await selectEntries(db, name)).filter(({ id }) => !never.includes(id)),
      rolledBack: new Set([...written.rolledBack, ...poison]),
      arrivals: all.filter(({ source, id }) => source === name && !indigestible.includes(id)),
      effects: await selectEffects(db, name),
    })
    const { dead, alerts } = await selectStanding(db, outbox)
    const own: Line[] = [
      { name: 'written', value: written.committed, atLeast: 1 },
      { name: 'transactions repeated', value: written.repeated },
      ...findingLines(found, order !== undefined),
      { name: 'dead', value: dead, must: order ? 0 : poison.length },
      { name: 'alerts', value: alerts },
    ]
    lines.push(...namedLines(name, own))
  }
  return lines
}
