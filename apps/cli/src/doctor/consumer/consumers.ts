import type { ConsumerOverview } from '@posthorn/engine/operate'
import { pluralise, duration } from '../../words.ts'
import { ok, warn, type Finding } from '../finding.ts'

/** More than a group that reads has in front of it for long. */
const MUCH = 1_000

/** Sampled every 15 s while a server runs. */
const STALE_SECONDS = 120

/** Groups that are behind, and dead letters that wait for an operator. */
export function checkConsumers(
  consumers: readonly ConsumerOverview[],
  now = new Date(),
): Finding[] {
  const findings = consumers.flatMap((each) => [...reportLag(each, now), ...deadLetters(each, now)])
  if (findings.length > 0) return findings
  if (consumers.length === 0) return []
  return [ok('consumers', `${pluralise(consumers.length, 'group')}, none behind, no dead letters`)]
}

function reportLag({ group, topic, lag, sampledAt }: ConsumerOverview, now: Date): Finding[] {
  if (lag === undefined || lag < MUCH || !sampledAt) return []
  const seconds = (now.getTime() - sampledAt.getTime()) / 1_000
  const when = seconds > STALE_SECONDS ? ` (as of ${duration(seconds)} ago)` : ''
  const says = `${pluralise(lag, 'message')} of ${topic} not handled yet${when}`
  return [warn(group, says, 'see that a process with the role worker runs, and its log')]
}

function deadLetters({ group, dead, oldestDeadAt }: ConsumerOverview, now: Date): Finding[] {
  if (dead === 0 || !oldestDeadAt) return []
  const age = duration((now.getTime() - oldestDeadAt.getTime()) / 1_000)
  const says = `${pluralise(dead, 'dead letter')}, the oldest for ${age}`
  const run = `posthorn dead-letters --group ${group}`
  return [warn(group, says, { todo: 'see why, then replay or drop them', run })]
}
