import { createApp, createVerifier } from '@posthorn/http'
import { simulators, type Simulator } from '@posthorn/simulators'
import { Pool } from 'pg'
import { afterAll } from 'vitest'

/** A simulator behind a real server, and its controls. */
export interface Simulated {
  readonly url: string
  fault(order: object): Promise<void>
  /** Asks a control route of its own to do something. */
  control(path: string, body: object): Promise<void>
  /** Forgets all that was charged, and every fault. */
  reset(): Promise<void>
  /** What a control route of its own says. */
  read<Body>(path: string): Promise<Body>
}

/** Ended after the file's tests. */
export async function simulate(simulator: Simulator): Promise<Simulated> {
  const app = await createApp({
    title: 'test',
    version: '1',
    log: false,
    production: false,
    rateLimit: false,
    verify: createVerifier({ secret: 'a secret of at least thirty-two bytes' }),
  })
  await app.register(simulators, { pool: new Pool({ max: 1 }), simulators: [simulator] })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  afterAll(() => app.close())
  const base = `${url}/sim/${simulator.name}`
  const control = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    const response = await fetch(base + path, init)
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
  }
  return {
    url,
    control,
    fault: (order) => control('/faults', order),
    async reset() {
      await fetch(base, { method: 'DELETE' })
    },
    read: async <Body>(path: string) => (await (await fetch(base + path)).json()) as Body,
  }
}
