import { migrate } from '@posthorn/engine'
import { allMigrations, loadSystems } from '@posthorn/server'
import type { Ledger, Line } from '../kit/ledger.ts'
import { pause } from '../kit/waiting.ts'
import type { Previous } from './previous.ts'
import { countTransitions } from '../kit/stand/queries.ts'
import { openStand, type Stand, type Surroundings } from '../kit/stand/stand.ts'

export interface SystemsOptions {
  readonly servers: Surroundings
  readonly previous: Previous
  readonly seed: number
  readonly phaseMs: number
  readonly settleMs: number
  readonly signal: AbortSignal
}

/** What was seen under way. */
interface Course {
  /** Changes of state while no other process than those of the version before ran. */
  readonly madeBefore: number
  readonly madeBeside: number
  readonly madeTakenBack: number
  readonly madeAfter: number
  /** `/readyz` of the version before on the migrated database. */
  readonly oldReadiness: string
  /** What a process of the version before says that is started there. */
  readonly oldRefusal: string
  /** Processes that ended and were not asked to. */
  readonly ended: readonly string[]
}

/**
 * The whole server of the version before and of this one, API, relays and workers in each process, on
 * one database, one set of brokers and one outside world, all systems under load: there, back, there.
 */
export async function upgradeSystems(options: SystemsOptions): Promise<Ledger[]> {
  const { servers, previous, seed, signal } = options
  await using stand = await openStand({ servers, seed, previousRoot: previous.root })
  const { client, processes } = stand
  await processes.start('old', 2)
  const endLoad = await stand.load()
  const course = await roll(stand, options)
  await endLoad()
  const settled = await stand.settle({ withinMs: options.settleMs, signal })
  await processes.stop()

  const { asked, repeated, unanswered } = client.counts
  const left = Object.keys(settled.rest).join(', ') || 'none'
  return [
    {
      title: `systems from ${previous.commit.slice(0, 7)}, seed ${seed}, ${servers.versions}`,
      lines: [
        ...courseLines(course),
        { name: 'requests', value: asked, atLeast: 1 },
        { name: 'requests repeated', value: repeated },
        { name: 'requests without an answer', value: unanswered, must: 0 },
        { name: 'sent again by the operator', value: settled.replayed },
        { name: 'not ended', value: left, must: 'none' },
      ],
      details: [settled.rest, course.ended],
    },
    ...(await stand.ledgers()),
  ]
}

async function roll({ pool, processes, env }: Stand, options: SystemsOptions): Promise<Course> {
  const phase = async (name: string): Promise<number> => {
    console.log(`${name} …`)
    const before = await countTransitions(pool)
    await pause(options.phaseMs, options.signal)
    return (await countTransitions(pool)) - before
  }
  const madeBefore = await phase('the version before, alone')
  await migrate(pool, await allMigrations(await loadSystems(env)))
  const oldReadiness = await processes.readiness('old')
  await processes.start('new', 2)
  const madeBeside = await phase('migrated, both versions')
  await Promise.all([processes.kill('old'), processes.kill('new')])
  await processes.start('new', 1)
  const oldRefusal = await processes.refusal()
  await phase('one of each was killed')
  await processes.stop('new')
  const madeTakenBack = await phase('taken back')
  await processes.start('new', 2)
  await processes.stop('old')
  const madeAfter = await phase('the new version, alone')
  const { ended } = processes
  return {
    ...{ madeBefore, madeBeside, madeTakenBack, madeAfter },
    ...{ oldReadiness, oldRefusal, ended },
  }
}

function courseLines(course: Course): Line[] {
  return [
    { name: 'changes of state, version before alone', value: course.madeBefore, atLeast: 1 },
    { name: 'changes of state, side by side', value: course.madeBeside, atLeast: 1 },
    { name: 'changes of state, taken back', value: course.madeTakenBack, atLeast: 1 },
    { name: 'changes of state, this version alone', value: course.madeAfter, atLeast: 1 },
    { name: 'version before, readiness after the migration', value: course.oldReadiness },
    { name: 'version before, started after the migration', value: course.oldRefusal },
    { name: 'processes that ended by themselves', value: course.ended.length, must: 0 },
  ]
}
