import type { TcpProxy } from '@posthorn/engine/testing'
import { SERVER_NAMES } from '../lines.ts'
import { nameOf } from '../stage.ts'
import { draw, drawMember, drawMs, holdFor, inSeconds, type Fault } from './fault.ts'

/** What can happen to a line, as the log says it. */
const BREAKS: readonly { readonly text: string; strike(line: TcpProxy, ms: number): void }[] = [
  { text: 'refused', strike: (line) => line.cut() },
  { text: 'reset', strike: (line) => line.reset() },
  { text: 'silent', strike: (line) => line.stall() },
  { text: 'silent on the way there', strike: (line) => line.stall('up') },
  { text: 'silent on the way back', strike: (line) => line.stall('down') },
  { text: 'half open', strike: (line) => line.strand() },
  { text: 'slow by 150 ms', strike: (line) => line.slow(150) },
  { text: 'slow by 700 ms', strike: (line) => line.slow(700) },
]

/** One process and one server no longer hear each other as they should. */
const cut: Fault = {
  name: 'network',
  weight: 18,
  plan(random, size) {
    const member = drawMember(random, size)
    const server = draw(random, ['postgres', ...SERVER_NAMES] as const)
    const { text, strike } = draw(random, BREAKS)
    const ms = drawMs(random, 1_000, 8_000)
    return {
      text: `${nameOf(member)} to ${server}: ${text} for ${inSeconds(ms)}`,
      targets: [`${nameOf(member)} to ${server}`],
      async run({ linesOf, signal }) {
        const line = linesOf(member).to[server]
        strike(line, ms)
        await holdFor(ms, signal, () => line.heal())
      },
    }
  },
}

/** One process hears nothing of any server. */
const isolate: Fault = {
  name: 'isolation',
  weight: 3,
  plan(random, size) {
    const member = drawMember(random, size)
    const ms = drawMs(random, 2_000, 7_000)
    return {
      text: `${nameOf(member)} cut off from all servers for ${inSeconds(ms)}`,
      targets: [`${nameOf(member)} to all`],
      async run({ linesOf, signal }) {
        const lines = linesOf(member)
        for (const line of Object.values(lines.to)) line.stall()
        await holdFor(ms, signal, () => lines.heal())
      },
    }
  },
}

export const networkFaults: readonly Fault[] = [cut, isolate]
