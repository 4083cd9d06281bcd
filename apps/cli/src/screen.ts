import type { Terminal } from './terminal.ts'

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
