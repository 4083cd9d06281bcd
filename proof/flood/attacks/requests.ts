import { Agent } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'
import { exchange, JSON_TYPE, statement, STATEMENT_TYPE, type Asked } from '../exchange.ts'
import { repeat, type Attack, type AttackContext } from './attack.ts'

/** What a worker asks in one turn. */
interface Ask extends Pick<Asked, 'method' | 'headers' | 'body' | 'token'> {
  readonly path: string
  /** In front of the outcome in the tally. */
  readonly label?: string
}

interface Turn extends AttackContext {
  readonly place: number
  readonly turn: number
  /** Different in every turn. */
  readonly name: string
}

/** So many connections, each of which asks again as soon as it was answered. */
function askAgain(connections: number, next: (turn: Turn) => Ask | Promise<Ask>): Attack['run'] {
  return async (context) => {
    const { url, tokens, tally, over } = context
    const agent = new Agent({ keepAlive: true, maxSockets: connections })
    await repeat(connections, over, async (place, turn) => {
      const name = `flood-${process.pid}-${place}-${turn}`
      const { path, label, ...asked } = await next({ ...context, place, turn, name })
      const token = tokens[place % tokens.length] ?? ''
      const { outcome } = await exchange({ agent, token, url: new URL(path, url), ...asked })
      tally.count(label === undefined ? outcome : `${label} ${outcome}`)
    })
    agent.destroy()
  }
}

function post(path: string, name: string, body: object) {
  const headers = { ...JSON_TYPE, 'idempotency-key': name }
  return { method: 'POST', path, headers, body: JSON.stringify(body) } as const
}

function payment(name: string) {
  return post('/api/v1/payments', name, { amount: 100, currency: 'EUR', externalPaymentId: name })
}

const READERS = 500
const LONGEST_LISTS = [
  '/api/v1/payments?limit=200',
  '/api/v1/webhook-endpoints',
  '/api/v1/search?q=a',
  '/api/v1/audit/entries?limit=200',
]

/** Reads the longest lists and writes payments, over five hundred connections, without a pause. */
export const requests: Attack = {
  name: 'requests',
  about: `${READERS} connections that read and write without a pause`,
  run: askAgain(READERS, ({ place, turn, name }) =>
    place % 4 === 0
      ? payment(name)
      : { method: 'GET', path: LONGEST_LISTS[(place + turn) % LONGEST_LISTS.length] ?? '/' },
  ),
}

/** Endpoints, each of which is told of the payments between them. */
function announce(address: (turn: Turn) => string): Attack['run'] {
  return askAgain(20, (turn) =>
    turn.turn % 2 === 1
      ? { ...payment(turn.name), label: 'payment' }
      : {
          ...post('/api/v1/webhook-endpoints', turn.name, {
            url: address(turn),
            eventTypes: ['*'],
          }),
          label: 'endpoint',
        },
  )
}

/** As many endpoints as are taken, all of which stay silent, and payments that each of them is told of. */
export const endpoints: Attack = {
  name: 'endpoints',
  about: 'endpoints without an end, none of which answers, and payments to tell them of',
  // They have ten requests each under way until they are given up, which the settling does not await.
  leavesFiles: 400,
  run: announce(({ silent, name }) => `${silent}/${name}`),
}

/** Endpoints whose names have no address at first, and no answer from then on. */
export const names: Attack = {
  name: 'names',
  about: 'endpoints whose name server says nothing once and stays silent, and payments to tell',
  // Requests to them wait for a name, not for a connection; what is left is the pool's.
  run: announce(({ name }) => `http://${name}.silent.example/`),
}

const STRANGERS = 200
const OPEN_PATHS = [
  ...['/healthz', '/readyz', '/api/v1/payments'],
  ...['/openapi.json', '/metrics', '/nothing'],
]

/** Requests without a valid token, from the network that the probes come from too. */
export const strangers: Attack = {
  name: 'strangers',
  about: `${STRANGERS} connections without a valid token, probes among what they ask for`,
  run: askAgain(STRANGERS, ({ place, turn }) => {
    const path = OPEN_PATHS[(place + turn) % OPEN_PATHS.length] ?? '/'
    return { method: 'GET', path, token: 'none.of.ours', label: path }
  }),
}

const UPLOADS = 64
const ROWS = 2_000

/** Archives of many rows and statements of many lines, sixty-four at once. */
export const uploads: Attack = {
  name: 'uploads',
  about: `${UPLOADS} uploads at once, of archives with ${ROWS} rows and of statements`,
  run: askAgain(UPLOADS, async ({ place, name }) => {
    const isArchive = place % 2 === 0
    const type = isArchive ? { 'content-type': 'application/zip' } : STATEMENT_TYPE
    return {
      method: 'POST',
      path: isArchive ? `/api/v1/file-jobs?filename=${name}.zip` : '/api/v1/reconciliations',
      headers: { ...type, 'idempotency-key': name },
      body: isArchive ? await archive(name) : statement(name, ROWS),
    }
  }),
}

async function archive(name: string): Promise<Uint8Array> {
  const zip = new ZipFile()
  const rows = Array.from({ length: ROWS }, (_, n) => `${name}-${n},letter.pdf\n`)
  zip.addBuffer(Buffer.from(`case_id,evidence_files\n${rows.join('')}`), 'cases.csv')
  zip.addBuffer(Buffer.from('%PDF-1.7\n%%EOF\n'), 'letter.pdf')
  zip.end()
  return buffer(zip.outputStream)
}
