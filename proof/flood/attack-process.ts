import { writeFile } from 'node:fs/promises'
import { meetParent } from '../kit/processes/parent.ts'
import { createTally } from './attacks/attack.ts'
import { attacks, type AttackTarget } from './attacks/index.ts'

/** A process that attacks until it is asked to end: the other organisation's must not wait for it. */
export interface AttackSettings extends AttackTarget {
  readonly attack: string
  /** Where it says how it was answered. */
  readonly report: string
}

const { settings, tell, stopped } = meetParent<AttackSettings>()
const attack = attacks.find(({ name }) => name === settings.attack)
if (!attack) throw new Error(`there is no attack ${settings.attack}`)
const tally = createTally()
const over = new AbortController()
const running = attack.run({ ...settings, tally, over: over.signal })
tell({ kind: 'ready' })
await stopped
over.abort()
await running
await writeFile(settings.report, JSON.stringify(tally.entries()))
process.exit(0)
