import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testDatabase } from '@posthorn/engine/testing'
import { expect, onTestFinished, test } from 'vitest'
import { startProcess } from './testing/server-process.ts'

const database = await testDatabase()

interface Answer {
  /** Undefined if the connection was refused: nothing was sent, the client goes elsewhere. */
  readonly status: number | undefined
  readonly error: string | undefined
}

/** One request on a kept connection, as a load balancer makes them. */
function post(url: string, { agent, token, name }: { agent: Agent; token: string; name: string }) {
  return new Promise<Answer>((resolve) => {
    const body = JSON.stringify({ name })
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    }
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      response.resume()
      response.on('end', () => resolve({ status: response.statusCode, error: undefined }))
    })
    sent.on('error', (error: NodeJS.ErrnoException) =>
      resolve({ status: undefined, error: error.code ?? error.message }),
    )
    sent.end(body)
  })
}

test('SIGTERM under load drops no request, leaves no claim behind and ends in time', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-server-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const server = startProcess({
    DATABASE_URL: database.url,
    POSTHORN_DATA_DIR: folder,
    POSTHORN_RATE_LIMIT: '0',
  })
  const [url, token] = [`${await server.url()}/api/v1/greetings`, await server.token()]
  const agent = new Agent({ keepAlive: true, maxSockets: 20 })
  onTestFinished(() => agent.destroy())
  const answers: Answer[] = []
  let stopping = false
  const client = async (number: number) => {
    for (let turn = 0; turn < 100_000; turn += 1) {
      const answer = await post(url, { agent, token, name: `${number}-${turn}` })
      answers.push(answer)
      if (stopping && answer.status !== 202) return
    }
  }
  const clients = Array.from({ length: 20 }, (_, number) => client(number))
  await expect.poll(() => answers.length, { timeout: 60_000 }).toBeGreaterThan(500)
  stopping = true
  // The process itself sees to its time: it ends with 1 when that is over.
  const { code } = await server.end('SIGTERM')
  await Promise.all(clients)

  expect({ code, output: server.output() }).toMatchObject({ code: 0 })
  const kinds = new Set(answers.map(({ status, error }) => status ?? error))
  // 503 with `connection: close` tells to go elsewhere; a refused connection took nothing with it.
  kinds.delete('ECONNREFUSED')
  kinds.delete(503)
  expect([...kinds]).toEqual([202])
  const accepted = answers.filter(({ status }) => status === 202).length
  const { rows } = await database.pool.query<{ stored: number; claimed: number }>(
    `select count(*)::int as stored,
            count(*) filter (where claimed_until > now())::int as claimed
       from example.greeting`,
  )
  expect(rows[0]).toEqual({ stored: accepted, claimed: 0 })
  const left = await database.pool.query(`select relay from posthorn.relay`)
  expect(left.rows).toEqual([])
})
