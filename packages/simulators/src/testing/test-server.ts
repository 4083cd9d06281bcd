import { createApp, createVerifier } from '@posthorn/http'
import { Pool } from 'pg'
import { afterEach } from 'vitest'
import { simulators, type SimulatorsOptions } from '../simulators.ts'

export interface TestServer {
  readonly app: Awaited<ReturnType<typeof createApp>>
  readonly url: string
  get<Body = Record<string, unknown>>(path: string): Promise<{ status: number; body: Body }>
  post(path: string, body: unknown, init?: RequestInit): Promise<{ status: number; body: unknown }>
  /** What `GET /sim/{name}/requests` lists. */
  requests(name?: string, query?: string): Promise<Item[]>
}

export type Item = Record<string, unknown> & { id: number; outcome: string; body: unknown }

const started: TestServer['app'][] = []
afterEach(async () => {
  await Promise.all(started.splice(0).map((app) => app.close()))
})

/** A real server with simulators; closed after the test. */
export async function serve(options: Partial<SimulatorsOptions>): Promise<TestServer> {
  const app = await createApp({
    log: false,
    verify: createVerifier({ secret: 'a secret of at least thirty-two bytes' }),
    production: false,
    title: 'test',
    version: '1',
    rateLimit: false,
  })
  started.push(app)
  // A pool connects when it is asked something: most tests here never do.
  await app.register(simulators, { pool: new Pool({ max: 1 }), simulators: [], ...options })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })

  const json = async (response: Response) => {
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  }
  return {
    app,
    url,
    get: async (path) => json(await fetch(url + path)),
    post: async (path, body, init = {}) => {
      const headers = { 'content-type': 'application/json' }
      return json(
        await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body), ...init }),
      )
    },
    async requests(name = 'echo', query = '') {
      const response = await fetch(`${url}/sim/${name}/requests${query}`)
      return ((await response.json()) as { items: Item[] }).items
    },
  }
}
