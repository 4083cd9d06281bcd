import type { MigrationSet, Outbox, Queryable } from '@posthorn/engine'
import { listMasters, migrationStatus, readClock } from '@posthorn/operate'
import { type ConsumerOverview, type readRuns } from '@posthorn/operate/internal'
import type { Configuration } from '@posthorn/server'
import { duration, pluralise } from '../terminal/words.ts'
import { fail, ok, warn, type Finding } from './finding.ts'

/** Whether the tables are those of this version. */
export async function checkMigrations(
  db: Queryable,
  sets: readonly MigrationSet[],
): Promise<Finding> {
  const steps = await migrationStatus(db, sets)
  const pending = steps.filter(({ appliedAt }) => appliedAt === undefined)
  if (pending.length === 0) return ok('migrations', `${steps.length} applied`)
  const names = pending.map(({ set, id }) => `${set}/${id}`).join(', ')
  const advice = { todo: 'apply them', run: 'posthorn migrate' }
  return fail('migrations', `pending: ${names}`, advice)
}

/** Production goes by real time. */
export async function checkClock(
  db: Queryable,
  { production }: Pick<Configuration, 'production'>,
): Promise<Finding> {
  const { isMovable, aheadSeconds } = await readClock(db)
  const isAhead = Math.abs(aheadSeconds) > 0.001
  const says = isAhead
    ? `the business clock is ${duration(aheadSeconds)} ahead`
    : isMovable
      ? 'the business clock can be moved, and was not'
      : 'the business clock is the real one'
  if (!production || !isMovable) return ok('clock', says)
  const todo = 'a development server has used this database: give production another one'
  return isAhead ? fail('clock', says, todo) : warn('clock', says, todo)
}

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
  return [warn(group, says, 'check that a process with the role worker runs, and its log')]
}

function deadLetters({ group, dead, oldestDeadAt }: ConsumerOverview, now: Date): Finding[] {
  if (dead === 0 || !oldestDeadAt) return []
  const age = duration((now.getTime() - oldestDeadAt.getTime()) / 1_000)
  const says = `${pluralise(dead, 'dead letter')}, the oldest for ${age}`
  const run = `posthorn dead-letters --group ${group}`
  return [warn(group, says, { todo: 'find the cause, then replay or drop them', run })]
}

type Runs = Awaited<ReturnType<typeof readRuns>>

/** A run comes every ten minutes and has a minute for each class: a day behind is too much. */
const BEHIND_SECONDS = 86_400

/** Whether data that is past its time is removed. */
export function checkRetention(runs: Runs, now: Date = new Date()): Finding[] {
  if (runs.length === 0) return [ok('retention', 'has not run yet; workers do it')]
  const findings = runs.flatMap((run) => {
    if (run.error !== undefined) {
      const says = `${run.class} could not be removed: ${run.error}`
      return [
        warn('retention', says, 'search the log of the workers for: removing old data failed'),
      ]
    }
    const seconds = (now.getTime() - (run.completeAt ?? run.startedAt).getTime()) / 1_000
    if (seconds <= BEHIND_SECONDS) return []
    const says = `${run.class} is behind: for ${duration(seconds)} no run has removed all that is past its time`
    return [warn('retention', says, 'check that a process with the role worker runs, and its log')]
  })
  return findings.length > 0 ? findings : [ok('retention', `${runs.length} classes of data`)]
}

/** Whether what is encrypted can be read here. */
export async function checkKeys(db: Queryable, outboxes: readonly Outbox[]): Promise<Finding[]> {
  const encrypting = outboxes.filter(({ encrypt }) => encrypt !== undefined)
  const keys = encrypting[0]?.encrypt?.keys
  if (!keys) return []
  const masters = await listMasters(db, keys)
  const missing = masters.flatMap(({ master, keys: count, problem }) =>
    problem === undefined
      ? []
      : [
          fail(
            'encryption',
            `${pluralise(count, 'data key')} wrapped with ${master} cannot be used: ${problem}`,
            'add that master key again, after the newest one; messages wait until then',
          ),
        ],
  )
  if (missing.length > 0) return missing
  const count = masters.reduce((sum, each) => sum + each.keys, 0)
  return [ok('encryption', `${pluralise(count, 'data key')} of ${encrypting.length} outboxes`)]
}
