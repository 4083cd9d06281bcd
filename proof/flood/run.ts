import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startChild, type Usage } from '../kit/processes/child.ts'
import type { Ledger } from '../kit/ledger.ts'
import { pickNamed, readOptions } from '../kit/options.ts'
import type { Servers } from '../kit/servers/servers.ts'
import type { AttackSettings } from './attack-process.ts'
import { attacks, type Attack } from './attacks/index.ts'
import { BUSY_MS, judge, percentile } from './judge.ts'
import type { Neighbour, Watched } from './neighbour.ts'
import { watchPeak } from './peak.ts'
import { openStage, type Stage } from './stage.ts'

const WARM_UP_MS = 5_000
const BEFORE_MS = 10_000
/** How often the machine may be too busy before an attack. */
const TRIES = 3
/** For an attack to be at its height. */
const RISING_MS = 2_000
/** How long connections and files of an attack may take to go once it is over. */
const SETTLE_MS = 45_000

export interface Options {
  readonly seed: number
  /** How long each attack goes on. */
  readonly attackMs: number
  readonly attacks: readonly Attack[]
}

export function parseOptions(): Options {
  const named = Object.fromEntries(attacks.map((attack) => [attack.name, attack]))
  const { seed, seconds, ...given } = readOptions({
    ...{ seed: 1, seconds: 20, attacks: Object.keys(named).join() },
  })
  const chosen = pickNamed('--attacks', given.attacks, named).map(([, attack]) => attack)
  return { seed, attackMs: seconds * 1_000, attacks: chosen }
}

/** One ledger for each attack, each on a server of its own: what one leaves behind is no other's. */
export async function runFlood(
  servers: Servers,
  options: Options,
  signal: AbortSignal,
): Promise<readonly Ledger[]> {
  const ledgers: Ledger[] = []
  for (const attack of options.attacks) {
    signal.throwIfAborted()
    await using stage = await openStage(servers, attack.name)
    ledgers.push(await runAttack(attack, stage, { ...options, folder: servers.folder }))
  }
  return ledgers
}

async function runAttack(
  attack: Attack,
  { neighbour, target, measure, pid, exits }: Stage,
  { folder, attackMs: ms }: Options & { readonly folder: string },
): Promise<Ledger> {
  await neighbour.watch(WARM_UP_MS)
  const before = await watchBefore(neighbour)
  const usageBefore = await measure()
  const report = join(folder, `${attack.name}.json`)
  const settings: AttackSettings = { ...target, attack: attack.name, report }
  const peak = watchPeak(pid())
  const attacker = startChild(new URL('./attack-process.ts', import.meta.url), {
    ...{ name: attack.name, folder, settings },
  })
  await attacker.ready
  await sleep(RISING_MS)
  const during = await neighbour.watch(ms)
  await attacker.stop()
  const answers = JSON.parse(await readFile(report, 'utf8')) as [string, number][]
  const peaked = peak.stop()
  const usageAfter = await settle(measure, usageBefore)
  const after = await neighbour.watch(BEFORE_MS)
  return judge(attack, {
    ...{ before, during, after, answers, usageBefore, usageAfter, peak: peaked, ms },
    exits: exits(),
  })
}

/** How the other is answered in peace; an error where the machine has no peace to offer. */
async function watchBefore(neighbour: Neighbour): Promise<Watched> {
  for (let tries = 1; ; tries += 1) {
    const before = await neighbour.watch(BEFORE_MS)
    const p99 = Math.round(percentile(before.requests.times, 0.99))
    if (p99 <= BUSY_MS) return before
    if (tries === TRIES) {
      throw new Error(
        `the machine is busy: p99 before the attack is ${p99} ms, and nothing is judged above ${BUSY_MS}`,
      )
    }
  }
}

/** What the server has in hand once its files are about as many as before, or time is up. */
async function settle(measure: Stage['measure'], before: Usage): Promise<Usage> {
  const until = performance.now() + SETTLE_MS
  for (;;) {
    const now = await measure()
    if (now.openFiles <= before.openFiles + 10 || performance.now() > until) return now
    await sleep(2_000)
  }
}
