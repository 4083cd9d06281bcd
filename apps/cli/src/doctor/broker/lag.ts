import { number, pluralise } from '../../words.ts'
import { ok, warn, type Finding } from '../finding.ts'
import type { Topology } from './topology.ts'

const MANY_MESSAGES = 100_000

/** What to think of a group that is so many messages behind. */
export function judgeLag(
  check: string,
  { topic, group }: Topology['groups'][number],
  lag: number,
): Finding {
  const says = `group ${group} of ${topic}: ${pluralise(lag, 'message')} behind`
  if (lag <= MANY_MESSAGES) return ok(check, says)
  const todo = `more than ${number(MANY_MESSAGES)} wait: start more workers, or see why they are slow`
  return warn(check, says, { todo, run: 'posthorn start --role worker' })
}
