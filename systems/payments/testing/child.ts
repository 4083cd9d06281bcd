import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

export interface Child {
  readonly url: string
  /** As `kill -9`: nothing of it gets a chance to clean up. */
  kill(): Promise<void>
  /** Stands still, connections and all, until it goes on. */
  stop(): void
  goOn(): void
}

/** Payments in a process of their own; dead after the test at the latest. */
export function startChild(options: {
  readonly databaseUrl: string
  readonly gatewayUrl: string
  /** Its lock on a key is three times that and a second. */
  readonly gatewayTimeoutMs?: number
}): Promise<Child> {
  return startProcess('./server-process.ts', {
    CHILD_DATABASE_URL: options.databaseUrl,
    CHILD_GATEWAY_URL: options.gatewayUrl,
    CHILD_GATEWAY_TIMEOUT_MS: String(options.gatewayTimeoutMs ?? 20_000),
  })
}

/** Webhooks in a process of their own, their relay at work; dead after the test at the latest. */
export function startWebhookChild(databaseUrl: string): Promise<Child> {
  return startProcess('./webhook-process.ts', { CHILD_DATABASE_URL: databaseUrl })
}

/** A script beside this one that says its address once it serves. */
async function startProcess(path: string, env: Readonly<Record<string, string>>): Promise<Child> {
  const script = fileURLToPath(new URL(path, import.meta.url))
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, ...env },
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
    kill,
    stop: () => void child.kill('SIGSTOP'),
    goOn: () => void child.kill('SIGCONT'),
  }
}
