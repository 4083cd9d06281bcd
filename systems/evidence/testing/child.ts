import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { Part } from './working.ts'

export interface Child {
  readonly url: string
  readonly pid: number
  /** As `kill -9`: nothing of it gets a chance to clean up. */
  kill(): Promise<void>
  /** Stands still, connections and all, until it goes on. */
  stop(): void
  goOn(): void
}

export interface ChildOptions {
  readonly databaseUrl: string
  readonly folder: string
  readonly parts: readonly Part[]
  /** Settings of the system, `KAFKA_BROKERS`, `S3_…`. */
  readonly env?: Readonly<Record<string, string>>
}

/** The system in a process of its own; dead after the test at the latest. */
export async function startChild(options: ChildOptions): Promise<Child> {
  const { databaseUrl, folder, parts, env = {} } = options
  const script = fileURLToPath(new URL('./server-process.ts', import.meta.url))
  const child = spawn(process.execPath, [script], {
    env: {
      PATH: process.env['PATH'],
      CHILD_DATABASE_URL: databaseUrl,
      CHILD_PARTS: parts.join(),
      EVIDENCE_FOLDER: folder,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const kill = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await exited
  }
  onTestFinished(kill)
  const said = once(child.stdout, 'data').then(([line]) => String(line).trim())
  const url = await Promise.race([said, exited.then(() => undefined)])
  if (url === undefined) throw new Error('the server ended by itself')
  return {
    url,
    pid: child.pid ?? 0,
    kill,
    stop: () => void child.kill('SIGSTOP'),
    goOn: () => void child.kill('SIGCONT'),
  }
}
