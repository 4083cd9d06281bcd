import { posthorn } from './contestants/posthorn.ts'
import { inTurns, select } from '../kit/harness.ts'
import { drainFields, measureDrain } from './measure-drain.ts'
import type { Options } from '../kit/options.ts'
import { BATCH, type Extra } from '../kit/outbox.ts'
import type { Server } from '../kit/postgres.ts'
import { ratio, type Report } from '../kit/report.ts'

const WARM_UP_MESSAGES = 5_000

const EXTRAS: readonly (Extra | undefined)[] = [undefined, 'priorities', 'limit', 'recurring']

/** What priorities, a limit and a recurring message cost the drain of the outbox that has them. */
export async function runBench(server: Server, options: Options, report: Report): Promise<void> {
  const { rounds, messages, connections, limitMs, only } = options
  const contestants = select(
    EXTRAS.map((extra) =>
      posthorn({
        ...{ claims: 'by row', record: 'none', inHand: connections },
        ...(extra && { extra }),
      }),
    ),
    only,
  )
  const drain = (count: number, times: number) =>
    inTurns(contestants, { server, rounds: times }, (contestant, database) =>
      measureDrain(contestant, database, { waiting: count, messages: count, limitMs }),
    )
  await drain(WARM_UP_MESSAGES, 1)
  const results = await drain(messages, rounds)
  const lines = [...results].map(([{ name }, runs]) => ({ name, ...drainFields(runs) }))
  report.table(`messages a second, ${messages} drained by ${BATCH}, median of ${rounds}`, lines)
  const [bare, ...others] = lines
  report.table(
    'ratios',
    others.flatMap(({ name, perSecond }) => ratio(`${name} / without`, perSecond, bare?.perSecond)),
  )
}
