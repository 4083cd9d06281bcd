import type { Queryable } from '@posthorn/engine'
import type { Arrival } from '../../kit/events/arrivals.ts'
import { audit } from '../../kit/events/audit.ts'
import { spread, type Line } from '../../kit/ledger.ts'
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
    const ordered: Line[] = [
      { name: `${name}: out of order`, value: found.outOfOrder, must: 0 },
      { name: `${name}: effects out of order`, value: found.effectsOutOfOrder, must: 0 },
    ]
    lines.push(
      { name: `${name}: written`, value: written.committed, atLeast: 1 },
      { name: `${name}: transactions repeated`, value: written.repeated },
      { name: `${name}: missing`, value: found.missing, must: 0 },
      { name: `${name}: rolled back or poisoned, and arrived`, value: found.ghosts, must: 0 },
      { name: `${name}: unknown or changed`, value: found.strangers, must: 0 },
      { name: `${name}: duplicates on the wire`, value: found.duplicates },
      { name: `${name}: effects missing`, value: found.missingEffects, must: 0 },
      { name: `${name}: effects doubled`, value: found.doubledEffects, must: 0 },
      ...(order ? ordered : []),
      { name: `${name}: dead`, value: dead, must: order ? 0 : poison.length },
      { name: `${name}: alerts`, value: alerts },
      {
        name: `${name}: commit to arrival p50/p99/max`,
        value: spread(found.latenciesMs, [0.5, 0.99, 1]),
      },
    )
  }
  return lines
}
