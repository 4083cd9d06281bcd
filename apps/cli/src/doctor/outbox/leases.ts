import type { Outbox, Queryable } from '@posthorn/engine'
import type { OutboxStatus } from '../../status.ts'
import { pluralise, duration } from '../../words.ts'
import { warn, type Finding } from '../finding.ts'
import { selectAbandonedBuckets, selectStuckClaims } from './queries.ts'

/** A relay takes back what was abandoned within seconds. */
const STUCK_SECONDS = 60

/** Leases that ran out and that no relay takes over, although relays are alive. */
export async function checkLeases(
  db: Queryable,
  outbox: Outbox,
  { relays, paused }: Pick<OutboxStatus, 'relays' | 'paused'>,
): Promise<Finding[]> {
  if (relays === 0 || paused) return []
  const { name, order } = outbox
  const { count, seconds } = order
    ? await selectAbandonedBuckets(db, name, STUCK_SECONDS)
    : await selectStuckClaims(db, outbox, STUCK_SECONDS)
  if (count === 0) return []
  const noun = order ? 'bucket' : 'message'
  const since = seconds > 0 ? ` for ${duration(seconds)}` : ''
  const says = `${pluralise(count, noun)} left behind by a lost relay${since}, and no relay takes over`
  const todo = 'see the log of the relays: they are alive and cannot claim'
  return [warn(name, says, { todo, run: `posthorn status --once` })]
}
