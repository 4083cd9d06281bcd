import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** A program that goes on until it is ended. */
export interface Started extends AsyncDisposable {
  /** The first group of what it prints, once it does. */
  hear(pattern: RegExp): Promise<string>
}

interface Place {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
}

export interface Commands {
  /** Runs a program to its end; what it printed. Throws if it fails. */
  run(program: string, args: readonly string[], cwd: string): Promise<string>
  /** Has npm install packages, from its cache as far as that goes. */
  install(cwd: string, specs: readonly string[]): Promise<void>
  start(program: string, args: readonly string[], place: Place): Started
}

/**
 * Nothing of this repository's own environment: a newcomer has none of it. What the machine needs for
 * its network stays, such as the certificates that Node is to trust.
 */
function cleanEnv(): NodeJS.ProcessEnv {
  const foreign =
    /^(DATABASE_URL|KAFKA_|RABBITMQ_|NATS_|S3_|AWS_|POSTHORN_|NODE_(?!EXTRA_CA_CERTS)|npm_|PORT$)/
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)))
}

export function createCommands(signal: AbortSignal): Commands {
  const open = (program: string, args: readonly string[], { cwd, env = {} }: Place) => {
    const child = spawn(program, args, { cwd, env: { ...cleanEnv(), ...env }, signal })
    child.on('error', () => undefined)
    return { child, output: gather(child) }
  }
  const run: Commands['run'] = async (program, args, cwd) => {
    const { child, output } = open(program, args, { cwd })
    const [code] = (await once(child, 'close')) as [number | null]
    if (code === 0) return output.text()
    throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${output.text()}`)
  }
  return {
    run,
    async install(cwd, specs) {
      const quiet = ['--prefer-offline', '--no-audit', '--no-fund']
      await run('npm', ['install', ...quiet, ...specs], cwd)
    },
    start(program, args, place) {
      const { child, output } = open(program, args, place)
      return {
        hear: (pattern) => output.hear(pattern),
        async [Symbol.asyncDispose]() {
          if (child.exitCode !== null || child.signalCode !== null) return
          child.kill('SIGTERM')
          await once(child, 'close')
        },
      }
    },
  }
}

function gather(child: ChildProcess) {
  let text = ''
  const listeners = new Set<() => void>()
  const add = (chunk: unknown) => {
    text += String(chunk)
    for (const listener of listeners) listener()
  }
  child.stdout?.on('data', add)
  child.stderr?.on('data', add)
  return {
    text: () => text,
    hear: (pattern: RegExp) =>
      new Promise<string>((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(text)?.[1]
          if (found !== undefined) resolve(found)
        }
        listeners.add(look)
        child.once('close', () => reject(new Error(`it ended without ${pattern}:\n${text}`)))
        look()
      }),
  }
}
