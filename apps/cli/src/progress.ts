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
