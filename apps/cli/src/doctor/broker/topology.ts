import type { Opened } from '@posthorn/server'
import { number } from '../../terminal/words.ts'
import { ok, warn, type Finding } from '../finding.ts'

/** What the systems send to and read from at one broker. */
export interface Topology {
  /** Topics of destinations that do not depend on the message, and of consumers. */
  readonly topics: readonly string[]
  readonly groups: readonly { readonly topic: string; readonly group: string }[]
}

export function topologyOf(
  { outboxes, consumers, queues }: Pick<Opened, 'outboxes' | 'consumers' | 'queues'>,
  transport: string,
): Topology {
  const sent = outboxes.flatMap(({ destination }) =>
    typeof destination === 'function' || destination.transport !== transport
      ? []
      : [destination.topic],
  )
  const groups = [...consumers, ...queues]
    .filter((each) => each.transport === transport)
    .map(({ topic, group }) => ({ topic, group }))
  const unique = new Map(groups.map((each) => [`${each.topic} ${each.group}`, each]))
  return {
    topics: [...new Set([...sent, ...groups.map(({ topic }) => topic)])].toSorted(),
    groups: [...unique.values()],
  }
}

const MANY_MESSAGES = 100_000

/** Judges how many messages a group has not read yet. */
export function judgeBacklog(check: string, says: string, messages: number): Finding {
  if (messages <= MANY_MESSAGES) return ok(check, says)
  const todo = `more than ${number(MANY_MESSAGES)} wait: start more workers, or see why they are slow`
  return warn(check, says, { todo, run: 'posthorn start --role worker' })
}
