import { startChild } from '../kit/child.ts'
import { median, progress } from '../kit/harness.ts'
import type { Options } from '../kit/options.ts'
import type { Server } from '../kit/postgres.ts'
import { ratio, type Report } from '../kit/report.ts'
import { loadRequests, type RequestRun, type ServingChild } from '../kit/request-load.ts'
import type { Serving } from '../kit/serving.ts'

const CONNECTIONS = 50
const WARM_UP_SECONDS = 3
const SECONDS = 5

/**
 * A route that answers a constant, behind everything that `createApp` does for a request (token,
 * limits, headers, log, trace), against the same route on Fastify alone. Each server is a process
 * of its own, the load another; they take turns.
 */
export async function runBench(
  _server: Server,
  { rounds }: Options,
  report: Report,
): Promise<void> {
  const loadFor = (to: ServingChild, duration: number) =>
    loadRequests(to, { duration, connections: CONNECTIONS })
  await using opened = new AsyncDisposableStack()
  const start = async (name: string): Promise<ServingChild> => {
    const script = new URL('http-process.ts', import.meta.url)
    return { name, child: opened.use(await startChild<Serving>(script, [name])) }
  }
  const [bare, posthorn] = await Promise.all([start('bare'), start('posthorn')])
  const runs = new Map<ServingChild, RequestRun[]>([
    [bare, []],
    [posthorn, []],
  ])
  for (const contestant of runs.keys()) await loadFor(contestant, WARM_UP_SECONDS)
  for (let round = 1; round <= rounds; round += 1) {
    for (const [contestant, sofar] of runs) {
      const run = await loadFor(contestant, SECONDS)
      progress(`round ${round} of ${rounds}  ${contestant.name}  ${JSON.stringify(run)}`)
      sofar.push(run)
    }
  }
  const middle = (contestant: ServingChild, field: keyof RequestRun) =>
    median((runs.get(contestant) ?? []).map((run) => run[field]))
  report.table(
    `one small request, median of ${rounds}`,
    [...runs.keys()].map((contestant) => ({
      name: contestant.name,
      perSecond: middle(contestant, 'perSecond'),
      cpuMicros: middle(contestant, 'cpuMicros'),
    })),
  )
  report.table('ratios', [
    ...ratio(
      'posthorn / bare, requests a second',
      middle(posthorn, 'perSecond'),
      middle(bare, 'perSecond'),
    ),
    // By the servers' own time, which other programs on the machine disturb less.
    ...ratio(
      'bare / posthorn, processor time',
      middle(bare, 'cpuMicros'),
      middle(posthorn, 'cpuMicros'),
    ),
  ])
}
