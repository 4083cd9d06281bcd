import { drainField, everyone } from './field.ts'
import { drainHeld } from './held.bench.ts'
import { inDatabase, inTurns, progress, select } from '../kit/harness.ts'
import { drainFields, measureDrain, medianRate } from './measure-drain.ts'
import type { Options } from '../kit/options.ts'
import type { Server } from '../kit/postgres.ts'
import { ratio, type Line, type Report } from '../kit/report.ts'

const WARM_UP_MESSAGES = 5_000

/** How fast a full outbox is emptied. */
export async function runBench(server: Server, options: Options, report: Report): Promise<void> {
  const { messages, limitMs, rounds } = options
  const field = drainField(options)
  const contestants = select(everyone(field), options.only)
  progress('warming up')
  await inTurns(contestants, { server, rounds: 1 }, (contestant, database) =>
    measureDrain(contestant, database, {
      waiting: WARM_UP_MESSAGES,
      messages: WARM_UP_MESSAGES,
      limitMs,
    }),
  )
  const results = await inTurns(contestants, { server, rounds }, (contestant, database) =>
    measureDrain(contestant, database, { waiting: messages, messages, limitMs }),
  )
  report.table(
    `${messages} messages drained, median of ${rounds}`,
    [...results].map(([{ name, version, settings }, runs]) => ({
      name,
      ...drainFields(runs),
      version,
      settings,
    })),
  )
  const rates = new Map([...results].map(([{ name }, runs]) => [name, medianRate(runs)]))
  const bestPeer = Math.max(...field.peers.map(({ name }) => rates.get(name) ?? 0))
  const log = contestants.find(({ name }) => name === LOG)
  const held = log && (await inDatabase(server, (database) => drainHeld(log, database, options)))
  report.table('ratios', [
    ...ratios(rates, bestPeer),
    ...ratio('log held / fresh', held?.perSecond, rates.get(LOG)),
  ])
}

const LOG = 'posthorn log'

/** Which rate is held against which; with those of whom both took part. */
function ratios(rates: ReadonlyMap<string, number>, bestPeer: number): Line[] {
  const byRow = rates.get('posthorn by row')
  const byKey = rates.get('posthorn by key')
  return [
    ...ratio('by row / best peer', byRow, bestPeer),
    ...ratio('by key / best peer', byKey, bestPeer),
    ...ratio('log / best peer', rates.get(LOG), bestPeer),
    ...ratio('log / plain SQL', rates.get(LOG), rates.get('plain SQL log')),
    ...ratio(
      'by key / graphile-worker named queues',
      byKey,
      rates.get('graphile-worker named queues'),
    ),
    ...ratio('by row / plain SQL', byRow, rates.get('plain SQL claim + mark')),
    ...ratio('by key / plain SQL', byKey, rates.get('plain SQL mark only')),
    ...ratio('by row / SKIP LOCKED DELETE', byRow, rates.get('plain SQL skip locked delete')),
    ...ratio("by row / pgmq's statements", byRow, rates.get("pgmq's statements")),
    ...ratio(
      'by row recorded / plain SQL recorded',
      rates.get('posthorn by row recorded'),
      rates.get('plain SQL claim + mark recorded'),
    ),
    ...ratio(
      'by key recorded / plain SQL recorded',
      rates.get('posthorn by key recorded'),
      rates.get('plain SQL mark only recorded'),
    ),
  ]
}
