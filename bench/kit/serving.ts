import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { silentLog } from '@posthorn/engine'
import { createApp, createVerifier, signToken } from '@posthorn/http'
import { type OpenSystem, type System, createSealing, readSettings } from '@posthorn/system'
import type { Pool } from 'pg'

/** Where a child process serves, and the token that it takes. */
export interface Serving {
  readonly url: string
  readonly token: string
}

const SECRET = 'a secret of the benchmark, known to it alone'

/** As a server runs: limits counted, requests timed and logged where they are slow or fail. */
export function createBenchApp(own: Partial<Parameters<typeof createApp>[0]> = {}) {
  return createApp({
    ...{ title: 'bench', version: '1', production: true },
    verify: createVerifier({ secret: SECRET }),
    rateLimit: { max: 1e9, windowMs: 60_000 },
    log: { level: 'info', stream: { write: () => undefined } },
    onResponse: () => undefined,
    ...own,
  })
}

/** A system with the settings of production, those of `env` among them. */
export function openForBench(system: System, pool: Pool, env: Record<string, string>): OpenSystem {
  const { values, mistakes } = readSettings(system.settings, { env, production: true })
  if (mistakes.length > 0) throw new Error(mistakes.join('\n'))
  return system.open({
    ...{ pool, log: silentLog, settings: values, production: true },
    baseUrl: () => 'http://127.0.0.1',
    sealing: createSealing(['k'.repeat(32)]),
    simulatorAddress: async () => undefined,
  })
}

/** Sends a file as it is; the answer, which must have this status. */
export async function upload<Answer>(
  { url, token }: Serving,
  { file, type, status }: { file: string; type: string; status: number },
): Promise<Answer> {
  const response = await fetch(`${url}?filename=${basename(file)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': type },
    body: Readable.toWeb(createReadStream(file)) as BodyInit,
    duplex: 'half',
  } as RequestInit)
  const text = await response.text()
  if (response.status !== status) throw new Error(`the upload failed: ${response.status} ${text}`)
  return JSON.parse(text) as Answer
}

interface Listening {
  listen(at: { port: number; host: string }): Promise<string>
}

/** Serves in a child process until its parent lets go of it. Each message is answered, by default with the time used. */
export async function serve(
  app: Listening,
  path: string,
  answer: (message: unknown) => unknown = () => process.cpuUsage(),
): Promise<void> {
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const token = await signToken({ secret: SECRET, sub: 'bench', org: 'bench', expiresIn: '1d' })
  process.send?.({ url: `${address}${path}`, token } satisfies Serving)
  process.on('message', (message) => {
    const said = answer(message)
    if (said !== undefined) process.send?.(said)
  })
  process.once('disconnect', () => process.exit())
}
