import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Pool } from 'pg'
import { countDeadLetters, countSetAside, selectAlertCodes } from '../kit/stand/queries.ts'
import { readArrivals, type Arrival } from '../kit/events/arrivals.ts'
import { audit, countBackwards } from '../kit/events/audit.ts'
import { namedLines, spread, type Line } from '../kit/ledger.ts'
import { selectEffects, selectEntries, selectStanding } from '../kit/events/queries.ts'
import type { Fleet } from '../kit/processes/fleet.ts'
import { failoverOutboxes, rowEvents } from './outbox.ts'
import type { Probe } from './probe.ts'
import { countHalves } from './queries.ts'
import type { Written } from './writer.ts'

export interface Evidence {
  readonly pool: Pool
  readonly folder: string
  readonly written: ReadonlyMap<string, Written>
  /** What was stored by way of the API. */
  readonly probe: Pick<Probe, 'asked' | 'stored'>
  /** The database may have forgotten what it had answered. */
  readonly isLossy: boolean
  /** The outboxes whose destination is in the database, and lost with it. */
  readonly topics: ReadonlySet<string>
}

/** Both ends of each outbox, message by message, once no process runs any more. */
export async function messageLines(evidence: Evidence): Promise<Line[]> {
  const arrivals = await readArrivals(evidence.folder)
  const lines: Line[] = []
  for (const { name } of failoverOutboxes) {
    const own = arrivals.filter(({ source }) => source === name)
    lines.push(...namedLines(name, await linesOf(name, own, evidence)))
  }
  return lines
}

async function linesOf(
  name: string,
  arrivals: readonly Arrival[],
  { pool, written, probe, isLossy, topics }: Evidence,
): Promise<Line[]> {
  const outbox = failoverOutboxes.find((each) => each.name === name)
  const own = written.get(name)
  if (!outbox || !own) return []
  const entries = await selectEntries(pool, name)
  const there = new Set(entries.map(({ id }) => id))
  const answered = [...own.acknowledged, ...(name === rowEvents.name ? probe.stored : [])]
  const lost = answered.filter((id) => !there.has(id))
  const unknown = new Set(arrivals.filter(({ id }) => !there.has(id)).map(({ id }) => id))
  const effects = await selectEffects(pool, name)
  // Numbers of those that the database has lost were given a second time.
  const isLost = (id: string) =>
    isLossy && !there.has(id) && !own.refused.has(id) && isWritten(id, own, probe)
  const found = audit({
    entries,
    rolledBack: own.refused,
    arrivals: arrivals.filter(({ id }) => !isLost(id)),
    effects: effects.filter(({ id }) => !isLost(id)),
  })
  const { waiting, held, dead, quarantined, heldKeys, leases, runs } = await selectStanding(
    pool,
    outbox,
  )
  // A broker forgets what was acknowledged, also if the effect is lost; a topic is lost with it.
  const isForgotten = isLossy && !topics.has(name)
  // An effect that was lost is made again when its message is, behind what the broker had already.
  const isFirst = isForgotten ? onceArrived(arrivals) : () => true
  const effectsOutOfOrder = countBackwards(effects.filter(({ id }) => !isLost(id) && isFirst(id)))
  const ordered: Line[] = [
    { name: 'out of order', value: found.outOfOrder, must: 0 },
    { name: 'effects out of order', value: effectsOutOfOrder, must: 0 },
    {
      name: 'effects made again behind later ones',
      value: found.effectsOutOfOrder - effectsOutOfOrder,
      ...(!isForgotten && { must: 0 }),
    },
  ]
  return [
    { name: 'commits answered, messages', value: answered.length, atLeast: 1 },
    { name: 'commits without an answer, messages', value: own.uncertain.size },
    {
      name: 'of those stored',
      value: [...own.uncertain].filter((id) => there.has(id)).length,
    },
    {
      name: 'answered, and not there',
      value: lost.length,
      ...(isLossy ? { atLeast: 1 } : { must: 0 }),
    },
    { name: 'of those delivered before', value: lost.filter((id) => unknown.has(id)).length },
    {
      name: 'refused, and there',
      value: [...own.refused].filter((id) => there.has(id)).length,
      must: 0,
    },
    {
      name: 'business row without message, or the reverse',
      value: await countHalves(pool, outbox),
      must: 0,
    },
    { name: 'not delivered', value: found.missing, must: 0 },
    { name: 'rolled back, and delivered', value: found.ghosts, must: 0 },
    { name: 'unknown or changed', value: found.strangers, must: 0 },
    { name: 'duplicates on the wire', value: found.duplicates },
    { name: 'effects missing', value: found.missingEffects, ...(!isForgotten && { must: 0 }) },
    { name: 'effects doubled', value: found.doubledEffects, must: 0 },
    {
      name: 'effects of messages that are lost',
      value: effects.filter((e) => isLost(e.id)).length,
    },
    ...(outbox.order ? ordered : []),
    {
      name: 'waiting, held, dead or quarantined',
      value: waiting + held + dead + quarantined,
      must: 0,
    },
    { name: 'claims, runs and held keys left over', value: leases + runs + heldKeys, must: 0 },
    { name: 'commit to arrival p50/p99/max', value: spread(found.latenciesMs, [0.5, 0.99, 1]) },
  ]
}

function onceArrived(arrivals: readonly Arrival[]): (id: string) => boolean {
  const times = new Map<string, number>()
  for (const { id } of arrivals) times.set(id, (times.get(id) ?? 0) + 1)
  return (id) => times.get(id) === 1
}

/** Whether it was sent to the database to be committed. */
function isWritten(
  id: string,
  { acknowledged, uncertain }: Written,
  probe: Evidence['probe'],
): boolean {
  return acknowledged.has(id) || uncertain.has(id) || probe.asked.has(id)
}

/** What is left with people: alerts and dead letters. */
export async function alertLines(pool: Pool): Promise<Line[]> {
  const codes = Object.entries(await selectAlertCodes(pool))
  const said = codes.map(([code, count]) => `${code} ${count}`).join(', ') || 'none'
  return [
    { name: 'dead letters of consumers', value: await countDeadLetters(pool), must: 0 },
    { name: 'still set aside by consumers', value: await countSetAside(pool), must: 0 },
    { name: 'alerts', value: said },
  ]
}

/** Something that was done to the servers. */
export interface Event {
  readonly atMs: number
  readonly what: string
}

/** Of the messages a second that are asked for, so many must have been written. */
const REACHED = 0.8

/**
 * How much was written while all servers were there. A machine that cannot write as much as was asked
 * for shows less than was to be shown, and the ledger says so: ask for less there, by `--rate`.
 */
export function rateLines(
  { written }: Evidence,
  { losses, rate }: { readonly losses: readonly Event[]; readonly rate: number },
): Line[] {
  const until = losses[0]?.atMs ?? Infinity
  const times = [...written.values()].flatMap(({ answeredAt }) => answeredAt)
  const before = times.filter((at) => at < until)
  const seconds = (until - Math.min(...before.slice(0, 1_000))) / 1_000
  return [
    {
      name: `messages a second of ${rate} asked for, before the first loss`,
      value: Math.round(before.length / seconds),
      atLeast: Math.floor(rate * REACHED),
    },
  ]
}

/** What stood still around each loss, and for how long. */
export async function pauseLines(
  { folder, written, probe }: Evidence & { readonly probe: Probe },
  losses: readonly Event[],
): Promise<Line[]> {
  const arrivals = await readArrivals(folder)
  const times: [string, readonly number[]][] = [
    ['writes', [...written.values()].flatMap(({ answeredAt }) => answeredAt)],
    ['requests to the API', probe.requests.storedAt],
    ...failoverOutboxes.map(({ name }): [string, number[]] => [
      `${name} arrivals`,
      arrivals.filter(({ source }) => source === name).map(({ atMs }) => atMs),
    ]),
  ]
  return losses.flatMap(({ atMs, what }, i) => {
    const end = losses[i + 1]?.atMs ?? Infinity
    return times.map(([name, all]) => ({
      name: `${what}: longest pause of ${name}`,
      value: `${(longestPause(all, { from: atMs - 1_000, to: end - 1_000 }) / 1_000).toFixed(1)} s`,
    }))
  })
}

/** Of those that begin in this time; one may last longer than it. */
function longestPause(times: readonly number[], { from, to }: { from: number; to: number }) {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted.reduce((most, at, i) => {
    const isMeant = at >= from && at < to
    return isMeant ? Math.max(most, (sorted[i + 1] ?? at) - at) : most
  }, 0)
}

/** What an operator could see: answers, readiness, and the log by its sentences. */
export async function operatorLines(
  folder: string,
  { probe, fleets }: { probe: Probe; fleets: readonly Fleet[] },
  losses: readonly Event[],
): Promise<Line[]> {
  const began = losses[0]?.atMs ?? 0
  const at = (ms: number) => `${((ms - began) / 1_000).toFixed(1)} s`
  const answers = [...probe.requests.answers].map(([said, count]) => `${said} ${count}`)
  return [
    {
      name: 'processes that ended by themselves',
      value: fleets.flatMap(({ exits }) => exits).length,
      must: 0,
    },
    { name: 'answers of the API', value: answers.join(', ') },
    ...losses.map(({ atMs, what }) => ({ name: `${at(atMs)} lost`, value: what })),
    ...probe.readiness.map(({ atMs, said }) => ({ name: `${at(atMs)} /readyz`, value: said })),
    ...(await readSentences(folder)).map(([sentence, count]) => ({
      name: `log: ${sentence}`,
      value: count,
    })),
  ]
}

/** How often the processes under test said what, the most frequent first. */
async function readSentences(folder: string): Promise<[string, number][]> {
  const counts = new Map<string, number>()
  for (const file of await readdir(folder)) {
    if (!/^(api|relay|worker)-\d+\.log$/.test(file)) continue
    for (const line of (await readFile(join(folder, file), 'utf8')).split('\n')) {
      const sentence = sentenceOf(line)
      if (sentence !== undefined) counts.set(sentence, (counts.get(sentence) ?? 0) + 1)
    }
  }
  return [...counts].sort(([, a], [, b]) => b - a)
}

function sentenceOf(line: string): string | undefined {
  if (line === '') return undefined
  try {
    const { level, msg } = JSON.parse(line) as { level: string; msg: string }
    return `${level} ${msg}`
  } catch {
    // What a program says past its log is worth a look.
    return line.slice(0, 100)
  }
}
