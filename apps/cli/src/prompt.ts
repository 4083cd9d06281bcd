import { createInterface } from 'node:readline/promises'
import { UsageError } from './exit.ts'
import type { Terminal } from './terminal.ts'

/** `left`: Ctrl-C or Ctrl-D instead of an answer. */
export type Answer = 'yes' | 'no' | 'left'

/** Asks, and takes nothing but yes for yes. Without a terminal it asks for `--yes` instead. */
export async function ask({ stdin, stderr }: Terminal, question: string): Promise<Answer> {
  if (!stdin.isTTY || !stderr.isTTY) {
    throw new UsageError(
      `${question} There is no terminal to ask on: add --yes, or --dry-run to count.`,
    )
  }
  const lines = createInterface({ input: stdin, output: stderr })
  const left = new AbortController()
  lines.on('SIGINT', () => left.abort())
  lines.on('close', () => left.abort())
  try {
    const answer = await lines.question(`${question} [y/N] `, { signal: left.signal })
    return /^y(es)?$/i.test(answer.trim()) ? 'yes' : 'no'
  } catch (error) {
    if (!left.signal.aborted) throw error
    stderr.write('\n')
    return 'left'
  } finally {
    lines.close()
  }
}
