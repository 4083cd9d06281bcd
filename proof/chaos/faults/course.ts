import type { Outbox } from '@posthorn/engine'
import { createRandom } from '../../kit/random.ts'
import { pause } from '../../kit/waiting.ts'
import type { Options } from '../options.ts'
import type { Stage } from '../stage.ts'
import { businessFaults } from './business.ts'
import { databaseFaults } from './database.ts'
import { inSeconds, type Fault, type Strike } from './fault.ts'
import { networkFaults } from './network.ts'
import { outsideFaults } from './outside.ts'
import { processFaults } from './processes.ts'
import { serverFaults } from './servers.ts'

const FAULTS: readonly Fault[] = [
  ...processFaults,
  ...serverFaults,
  ...networkFaults,
  ...databaseFaults,
  ...outsideFaults,
  ...businessFaults,
]

/** A strike and its time in the run. */
interface PlannedStrike extends Strike {
  readonly atMs: number
  readonly fault: string
}

/** What happened, as it is printed; it is there also when the run comes to no ledger. */
export class FaultLog {
  readonly lines: string[] = []
  /** How often each fault struck. */
  readonly counts = new Map<string, number>()
  #began = performance.now()
  readonly #watch: boolean

  constructor({ watch }: Pick<Options, 'watch'>) {
    this.#watch = watch
  }

  /** Times are those since then. */
  begin(): void {
    this.#began = performance.now()
  }

  note(text: string): void {
    const line = `${inSeconds(performance.now() - this.#began).padStart(9)}  ${text}`
    this.lines.push(line)
    if (this.#watch) console.log(line)
  }

  count(fault: string): void {
    this.counts.set(fault, (this.counts.get(fault) ?? 0) + 1)
  }
}

/** What goes wrong when: the same for the same seed. */
export function planFaults(options: Options, outboxes: readonly Outbox[]): PlannedStrike[] {
  const { seed, durationMs, everyMs, processes, faults } = options
  const random = createRandom(seed)
  const drawn = FAULTS.filter(({ name }) => faults.length === 0 || faults.includes(name))
  const total = drawn.reduce((sum, { weight }) => sum + weight, 0)
  const drawFault = (): Fault => {
    let at = random.fraction() * total
    return drawn.find(({ weight }) => (at -= weight) < 0) ?? (drawn[0] as Fault)
  }
  const strikes: PlannedStrike[] = []
  if (drawn.length === 0) throw new Error(`there is no fault ${faults.join(', ')}`)
  for (let atMs = 0; ;) {
    atMs += random.between(0.3, 1.7) * everyMs
    if (atMs >= durationMs) return strikes
    const fault = drawFault()
    strikes.push({
      ...fault.plan(random, { processes, durationMs, outboxes }),
      fault: fault.name,
      atMs,
    })
  }
}

/** Lets it all happen. Resolves when everything that was broken is whole again. */
export async function strikeAll(
  stage: Stage,
  strikes: readonly PlannedStrike[],
  log: FaultLog,
): Promise<void> {
  const began = performance.now()
  log.begin()
  /** The last strike at each target. */
  const busy = new Map<string, Promise<void>>()
  // One that cannot be mended ends the run; those under way are awaited, since they start servers.
  const failed = new AbortController()
  const signal = AbortSignal.any([stage.signal, failed.signal])
  const strike = async ({ atMs, fault, targets, text, run }: PlannedStrike, i: number) => {
    await pause(began + atMs - performance.now(), signal)
    const before = Promise.all(targets.flatMap((target) => busy.get(target) ?? []))
    const done = (async () => {
      await before
      log.note(`#${i + 1} ${text}`)
      log.count(fault)
      await run(stage)
      log.note(`#${i + 1} is over`)
    })()
    for (const target of targets) busy.set(target, done)
    await done
  }
  await Promise.allSettled(
    strikes.map((each, i) => strike(each, i).catch((error: unknown) => failed.abort(error))),
  )
  stage.signal.throwIfAborted()
  failed.signal.throwIfAborted()
}
