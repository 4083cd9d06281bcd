import type { Contestant } from './contestant.ts'
import { enduranceField, everyone } from './field.ts'
import { inTurns, select } from '../kit/harness.ts'
import { drainFields, measureDrain, medianRate } from './measure-drain.ts'
import type { Options } from '../kit/options.ts'
import type { Server } from '../kit/postgres.ts'
import { ratio, type Report } from '../kit/report.ts'

interface Entry {
  readonly name: string
  readonly contestant: Contestant
  readonly waiting: number
}

/** Whether a large backlog makes each message dearer: as many drained as from a fresh outbox. */
export async function runBench(server: Server, options: Options, report: Report): Promise<void> {
  const { messages, limitMs, rounds } = options
  const contestants = select(everyone(enduranceField(options)), options.only)
  const entries = contestants.flatMap((contestant): Entry[] => [
    { name: `${contestant.name} fresh`, contestant, waiting: messages },
    { name: `${contestant.name} backlog`, contestant, waiting: options.backlog },
  ])
  const results = await inTurns(entries, { server, rounds }, ({ contestant, waiting }, database) =>
    measureDrain(contestant, database, { waiting, messages, limitMs }),
  )
  const runs = [...results].map(([entry, measured]) => ({ ...entry, measured }))
  report.table(
    `${messages} messages drained, median of ${rounds}`,
    runs.map(({ name, waiting, measured }) => ({ name, waiting, ...drainFields(measured) })),
  )
  const rates = new Map(runs.map(({ name, measured }) => [name, medianRate(measured)]))
  report.table(
    'ratios',
    contestants.flatMap(({ name }) =>
      ratio(
        `${name.replace('posthorn ', '')} backlog / fresh`,
        rates.get(`${name} backlog`),
        rates.get(`${name} fresh`),
      ),
    ),
  )
}
