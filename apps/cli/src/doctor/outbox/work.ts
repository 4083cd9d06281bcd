import type { Outbox, Queryable } from '@posthorn/engine'
import type { OutboxStatus, Status } from '../../commands/status.ts'
import { pluralise, duration, number, oneLine } from '../../terminal/words.ts'
import { fail, ok, warn, type Finding } from '../finding.ts'
import { selectAbandonedBuckets, selectStuckClaims, type RelayFacts } from './queries.ts'

const LATE_SECONDS = 300

/** Backlog and failures of the outboxes, and whether relays work on them. */
export function checkWork({ outboxes, alertsOpen }: Status, relays: RelayFacts): Finding[] {
  const isAlone = outboxes.length > 0 && outboxes.every((outbox) => outbox.relays === 0)
  const most = Math.max(0, ...outboxes.map((outbox) => outbox.relays))
  const first = isAlone
    ? warn('relays', 'no heartbeat for 15 s', {
        todo: 'start one',
        run: 'posthorn relay',
      })
    : ok('relays', pluralise(most, 'relay'))
  const alone = isAlone ? [] : outboxes.filter((outbox) => outbox.relays === 0).map(reportAbandoned)
  const alerts = Object.values(alertsOpen).reduce((sum, each) => sum + each, 0)
  return [
    first,
    ...alone,
    ...dying(relays),
    ...outboxes.flatMap(workOf),
    alerts === 0
      ? ok('alerts', 'none is open')
      : warn('alerts', `${number(alerts)} open`, { todo: 'look at them', run: 'posthorn alerts' }),
  ]
}

function reportAbandoned({ name }: OutboxStatus): Finding {
  const todo = 'start a relay whose configuration has this outbox'
  return warn(name, 'no relay runs it, although other relays run', { todo, run: 'posthorn relay' })
}

function dying({ vanished, lost }: RelayFacts): Finding[] {
  const findings: Finding[] = []
  if (vanished > 0) {
    const says = `${pluralise(vanished, 'relay')} disappeared within the last hour`
    const todo = 'find out why the process was killed: log, memory, grace period'
    findings.push(warn('relays', says, todo))
  }
  if (lost > 0) {
    const says = `${pluralise(lost, 'claim')} lost within the last hour; their messages were sent again`
    const todo = 'see docs/operate/troubleshooting.md#claims-are-lost'
    findings.push(warn('relays', says, todo))
  }
  return findings
}

function workOf(outbox: OutboxStatus): Finding[] {
  const { name, paused, oldestDueSeconds: oldest, relays, pausedBy } = outbox
  const { blockedKeys, quarantined, stalledSince } = outbox
  const findings: Finding[] = []
  if (stalledSince) {
    const says = `stalled since ${stalledSince.toISOString()}: messages are due and no relay takes them`
    findings.push(fail(name, says, 'see docs/operate/troubleshooting.md#an-outbox-has-stalled'))
  }
  if (paused) {
    const says = oneLine(`it is paused by ${pausedBy ?? 'unknown'}`)
    findings.push(warn(name, says, { todo: 'resume it', run: `posthorn resume ${name}` }))
  } else if (oldest > LATE_SECONDS) {
    const says = `a message has been due for ${duration(oldest)}`
    findings.push(
      relays === 0
        ? fail(name, says, { todo: 'start a relay', run: 'posthorn relay' })
        : warn(name, says, {
            todo: 'check whether its destination fails or is slow; if not, run more relays',
            run: `posthorn status --once`,
          }),
    )
  }
  if (blockedKeys > 0) {
    const says = `${pluralise(blockedKeys, 'key')} blocked behind a dead message`
    const todo = 'replay it, unblock the key or cancel the message'
    findings.push(warn(name, says, { todo, run: `posthorn messages ${name} --dead` }))
  }
  if (quarantined > 0) {
    const says = `${pluralise(quarantined, 'message')} in quarantine: no relay retries them`
    const todo = 'fix the cause, which their alerts name, then replay them'
    findings.push(warn(name, says, { todo, run: `posthorn replay ${name} --dry-run` }))
  }
  return findings.length === 0 ? [ok(name, 'no problem found')] : findings
}

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
