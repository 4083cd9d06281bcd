import { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

/** Where a command speaks: data goes to standard output, talk to standard error. */
export interface Terminal {
  readonly env: NodeJS.ProcessEnv
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  /** Aborts at Ctrl-C or SIGTERM. Reading it is what takes the signals over. */
  readonly interrupted: AbortSignal
  /** Data. */
  print(text: string): void
  /** Talk. */
  say(text: string): void
  /** One document; a field that is undefined is printed as null. */
  printJson(value: unknown): void
  /** Coloured if standard output is a terminal that shows colours, and `NO_COLOR` is not set. */
  paint(style: Style, text: string): string
}

export function terminalOf(host: NodeJS.Process): Terminal {
  const { env, stdin, stdout, stderr } = host
  let stop: AbortController | undefined
  return {
    env,
    stdin,
    stdout,
    stderr,
    get interrupted() {
      stop ??= abortOnSignals(host)
      return stop.signal
    },
    print: (text) => void stdout.write(`${text}\n`),
    say: (text) => void stderr.write(`${text}\n`),
    printJson: (value) => void stdout.write(`${JSON.stringify(value, nullIfAbsent, 2)}\n`),
    paint: (style, text) => styleText(style, text, { stream: stdout }),
  }
}

function nullIfAbsent(_: string, value: unknown): unknown {
  return value === undefined ? null : value
}

/** The first signal asks to stop; a second one ends the process as it would by default. */
function abortOnSignals(host: NodeJS.Process): AbortController {
  const stop = new AbortController()
  const onSignal = () => {
    host.off('SIGINT', onSignal)
    host.off('SIGTERM', onSignal)
    stop.abort()
  }
  host.on('SIGINT', onSignal)
  host.on('SIGTERM', onSignal)
  return stop
}
