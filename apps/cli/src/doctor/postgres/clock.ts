import type { Queryable } from '@posthorn/engine'
import type { Configuration } from '@posthorn/server'
import { duration } from '../../words.ts'
import { fail, ok, warn, type Finding } from '../finding.ts'
import { selectClock, selectTime } from './queries.ts'

const LOOKS = 5
const SKEWED_MS = 2_000

/** From here on signed webhooks are refused, and tokens are not valid yet or no more. */
const FAR_OFF_MS = 60_000

/** Production goes by real time. */
export async function checkClock(
  db: Queryable,
  { production }: Pick<Configuration, 'production'>,
): Promise<Finding> {
  const { movable, aheadSeconds } = await selectClock(db)
  const isAhead = Math.abs(aheadSeconds) > 0.001
  const says = isAhead
    ? `the business clock is ${duration(aheadSeconds)} ahead`
    : movable
      ? 'the business clock can be moved, and was not'
      : 'the business clock is the real one'
  if (!production || !movable) return ok('clock', says)
  const todo = 'a development server has used this database: give production one of its own'
  return isAhead ? fail('clock', says, todo) : warn('clock', says, todo)
}

/** Whether this machine and the database agree on what time it is. */
export async function checkSkew(db: Queryable): Promise<Finding> {
  const { ms, withinMs } = await measureSkew(db)
  const certain = Math.max(0, Math.abs(ms) - withinMs)
  if (certain < SKEWED_MS) return ok('time', 'this machine and the database agree')
  const side = ms > 0 ? 'ahead of' : 'behind'
  const says = `the database is ${duration(certain / 1000)} ${side} this machine`
  const todo = 'set both by NTP: tokens, signatures and ids carry the time of this machine'
  const advice = { todo, run: 'timedatectl status' }
  return certain < FAR_OFF_MS ? warn('time', says, advice) : fail('time', says, advice)
}

/** How far the server is ahead, by the quickest of a few looks: half of its way is the doubt. */
async function measureSkew(db: Queryable): Promise<{ ms: number; withinMs: number }> {
  let best = { ms: 0, withinMs: Number.POSITIVE_INFINITY }
  for (let look = 0; look < LOOKS; look += 1) {
    const before = Date.now()
    const there = await selectTime(db)
    const after = Date.now()
    const withinMs = (after - before) / 2
    if (withinMs < best.withinMs) best = { ms: there - (before + after) / 2, withinMs }
  }
  return best
}
