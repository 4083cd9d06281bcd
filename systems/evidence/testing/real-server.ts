import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { TOKEN_SECRET } from './serving.ts'

const MAIN = fileURLToPath(new URL('../../../apps/server/src/main.ts', import.meta.url))

export interface RealServer {
  readonly url: string
  close(): Promise<void>
}

/** The server as it is shipped, with all its systems, in a process of its own. */
export async function startServer(env: Readonly<Record<string, string>>): Promise<RealServer> {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const child = spawn(process.execPath, [MAIN], {
    env: {
      PATH,
      ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
      ...{ PORT: '0', POSTHORN_RATE_LIMIT: '0', POSTHORN_JWT_SECRET: TOKEN_SECRET },
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  let said = ''
  const ready = new Promise<string>((resolve) => {
    child.stdout.on('data', (chunk) => {
      said += String(chunk)
      const url = /ready: (http:\S+)/.exec(said)?.[1]
      if (url !== undefined) resolve(url)
    })
  })
  const url = await Promise.race([ready, exited.then(() => undefined)])
  if (url === undefined) throw new Error(`the server ended by itself: ${said}`)
  return {
    url,
    async close() {
      child.kill('SIGTERM')
      const late = setTimeout(() => child.kill('SIGKILL'), 12_000)
      await exited
      clearTimeout(late)
    },
  }
}
