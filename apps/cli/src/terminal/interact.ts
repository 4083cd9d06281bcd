import { createInterface } from 'node:readline/promises'
import { UsageError } from '../errors.ts'
import type { Terminal } from './terminal.ts'

/** Nothing is shown for what takes less. */
const PATIENCE_MS = 1_000
const BEAT_MS = 120
const BEATS = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

export interface Progress extends Disposable {
  /** What it is at now. */
  tell(text: string): void
}

/** Shows on standard error that something goes on; only to a person, and only if it takes its time. */
export function startProgress({ stderr }: Pick<Terminal, 'stderr'>, text: string): Progress {
  if (!stderr.isTTY) return { tell: () => undefined, [Symbol.dispose]: () => undefined }
  const started = performance.now()
  let saying = text
  let beats = 0
  let shown = false
  const timer = setInterval(() => {
    if (performance.now() - started < PATIENCE_MS) return
    shown = true
    stderr.write(`\r\x1b[K${BEATS[beats++ % BEATS.length]} ${saying}`)
  }, BEAT_MS)
  return {
    tell: (next) => void (saying = next),
    [Symbol.dispose]() {
      clearInterval(timer)
      if (shown) stderr.write('\r\x1b[K')
    },
  }
}

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

/** A part of the terminal that is drawn again and again. */
export interface Screen extends Disposable {
  draw(lines: readonly string[]): void
  /** Aborts at q and Ctrl-C; its reason is the key. */
  readonly left: AbortSignal
}

const ENTER = '\x1b[?1049h\x1b[?25l'
const LEAVE = '\x1b[?25h\x1b[?1049l'
const CTRL_C = '\x03'

/**
 * Takes the terminal's other screen, so that the lines before are there again afterwards. A frame is
 * one write that goes over the last one line by line: nothing is cleared first, so nothing flickers.
 */
export function openScreen({ stdin, stdout }: Terminal): Screen {
  const left = new AbortController()
  const onKey = (key: Buffer) => {
    const text = key.toString()
    if (text.includes(CTRL_C)) left.abort('interrupted')
    else if (text.toLowerCase().includes('q')) left.abort('quit')
  }
  stdout.write(ENTER)
  // Raw, so that a key is heard without Enter; Ctrl-C is then a key like any other.
  if (stdin.isTTY) stdin.setRawMode(true)
  stdin.on('data', onKey)
  return {
    left: left.signal,
    draw: (lines) => void stdout.write(frameText(lines, stdout.rows)),
    [Symbol.dispose]() {
      stdin.off('data', onKey)
      if (stdin.isTTY) stdin.setRawMode(false)
      stdin.pause()
      stdout.write(LEAVE)
    },
  }
}

/** What goes to the terminal for a frame: each line over the old one, and nothing of it left below. */
export function frameText(lines: readonly string[], rows: number): string {
  const shown = lines.length < rows ? lines : [...lines.slice(0, rows - 2), '…']
  return `\x1b[H${shown.map((line) => `${line}\x1b[K\r\n`).join('')}\x1b[J`
}
