import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { sql, uuid } from '@posthorn/engine'
import { testDatabase } from '@posthorn/engine/testing'
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { SHOP, posthornHere, startPosthorn } from '../testing/posthorn.ts'

// Processes that load a whole server, on a machine that may be busy with other tests.

const { url, pool } = await testDatabase()
const env = { DATABASE_URL: url, POSTHORN_CONFIG: SHOP, POSTHORN_OPERATOR: 'ada' }
const BIN = fileURLToPath(new URL('../../bin/posthorn.mjs', import.meta.url))
const READS = [
  'list_outboxes',
  'find_messages',
  'explain_message',
  'message_journey',
  'list_dead_letters',
  'run_doctor',
]
const ACTIONS = [
  'dry_run_replay',
  'replay_messages',
  'pause_outbox',
  'resume_outbox',
  'cancel_messages',
]

beforeAll(async () => {
  expect((await posthornHere(['migrate'], env)).code).toBe(0)
})

beforeEach(async () => {
  await pool.query(sql`truncate shop.event, posthorn.transition`)
})

/** The official client on the real binary, over stdio. */
async function connect(...args: string[]) {
  const { PATH = '', HOME = '' } = process.env
  const client = new Client({ name: 'test-agent', version: '1.0.0' })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BIN, 'mcp', ...args],
    env: { PATH, HOME, ...env },
  })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return talk(client)
}

function talk(client: Client) {
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name: string, args: Record<string, unknown> = {}) {
      const { content, isError } = await client.callTool({ name, arguments: args })
      const [{ text }] = content as [{ text: string }]
      return isError === true ? { refused: text } : JSON.parse(text)
    },
  }
}

async function bury(): Promise<string> {
  const id = uuid()
  await pool.query(sql`
    insert into shop.event (id, type, org_id, status, attempts, error_code, error, created_at)
    values (${id}, 'order.placed', 'acme', 'dead', 3, 'NO_STOCK', 'the shelf is empty', now())`)
  return id
}

async function statusOf(id: string): Promise<string> {
  const { rows } = await pool.query(sql`select status from shop.event where id = ${id}`)
  return rows[0].status
}

test('a client finds a dead letter, learns why it died, and replays it', async () => {
  const id = await bury()
  const { tools, call } = await connect('--allow-actions')
  expect(await tools()).toEqual([...READS, ...ACTIONS])

  const { outboxes } = await call('list_outboxes')
  const [sick] = outboxes.filter((each: { counts: { dead?: number } }) => each.counts.dead)
  expect(sick.name).toBe('shop.events')

  const outbox = sick.name
  const { causes } = await call('list_dead_letters', { outbox })
  expect(causes).toMatchObject([{ code: 'NO_STOCK', count: 1, error: 'the shelf is empty' }])

  const { items } = await call('find_messages', { outbox, code: 'NO_STOCK' })
  expect(items.map((item: { id: string }) => item.id)).toEqual([id])

  const explained = await call('explain_message', { outbox, id })
  expect(explained.why).toEqual([
    'It is a dead letter: 3 failed attempts, the last with NO_STOCK, the shelf is empty. ' +
      'Replay it when the cause is gone.',
  ])
  expect(await call('dry_run_replay', { outbox, code: 'NO_STOCK' })).toMatchObject({ matched: 1 })
  expect(await statusOf(id)).toBe('dead')

  const unexplained = await call('replay_messages', { outbox, ids: [id] })
  expect(unexplained.refused).toContain('reason')
  const run = await call('replay_messages', { outbox, ids: [id], reason: 'the shelf is full' })
  expect(run).toMatchObject({ replayed: 1 })
  expect(await statusOf(id)).toBe('waiting')

  const journey = await call('message_journey', { outbox, id })
  expect(journey.steps).toContainEqual(
    expect.objectContaining({
      kind: 'transition',
      actor: 'mcp:ada via test-agent',
      reason: 'the shelf is full',
    }),
  )
})

test('an outbox is paused, which explains why a message waits, and a message is cancelled', async () => {
  const { call } = await connect('--allow-actions', '--by', 'bob')
  const outbox = 'shop.events'
  const id = uuid()
  await pool.query(sql`
    insert into shop.event (id, type, org_id, status) values (${id}, 'x', 'acme', 'waiting')`)
  expect(await call('pause_outbox', { outbox, reason: 'a flood' })).toMatchObject({ paused: true })
  const { why } = await call('explain_message', { outbox, id })
  expect(why).toEqual([
    'The outbox is paused by mcp:bob via test-agent: a flood.',
    'No relay was heard of in the last 15 seconds.',
  ])
  await call('resume_outbox', { outbox, reason: 'it is over' })
  expect((await pool.query(sql`select from posthorn.pause`)).rowCount).toBe(0)
  expect(await call('cancel_messages', { outbox, ids: [id], reason: 'a mistake' })).toMatchObject({
    cancelled: [id],
  })
  expect(await statusOf(id)).toBe('cancelled')
})

test('without --allow-actions there is nothing that changes anything', async () => {
  const id = await bury()
  const { tools, call } = await connect()
  expect(await tools()).toEqual(READS)
  const refused = await call('replay_messages', { outbox: 'shop.events', reason: 'try' })
  expect(refused.refused).toContain('replay_messages')
  expect(await statusOf(id)).toBe('dead')
  expect((await call('find_messages', { outbox: 'shop.event' })).refused).toContain('Did you mean')
  const { findings } = await call('run_doctor')
  expect(findings).toContainEqual(expect.objectContaining({ level: 'ok' }))
})

/** The official client with its own server, over HTTP. */
async function connectByHttp(...args: string[]) {
  const more = { ...env, POSTHORN_MCP_TOKEN: 'secret' }
  const server = startPosthorn(['mcp', '--http', '0', ...args], more)
  onTestFinished(async () => {
    server.child.kill('SIGTERM')
    expect((await server.ended).code).toBe(0)
  })
  await expect.poll(() => server.stderr(), { timeout: 30_000 }).toContain('MCP at')
  const at = new URL(/MCP at (\S+?),/.exec(server.stderr())?.[1] ?? '')
  const headers = { authorization: 'Bearer secret' }
  const client = new Client({ name: 'test-agent', version: '1.0.0' })
  const transport = new StreamableHTTPClientTransport(at, { requestInit: { headers } })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return { at, headers, transport, ...talk(client) }
}

test('over HTTP it wants the token, and refuses actions without --allow-actions', async () => {
  const id = await bury()
  const { at, headers, tools, call } = await connectByHttp()
  expect((await fetch(at, { method: 'POST' })).status).toBe(401)
  const lost = { ...headers, 'mcp-session-id': 'of another process' }
  expect((await fetch(at, { method: 'POST', headers: lost })).status).toBe(404)
  expect(await tools()).toEqual(READS)
  const outbox = 'shop.events'
  const { causes } = await call('list_dead_letters', { outbox })
  expect(causes).toMatchObject([{ code: 'NO_STOCK', count: 1 }])
  const { refused } = await call('replay_messages', { outbox, ids: [id], reason: 'try' })
  expect(refused).toContain('replay_messages')
  expect(await statusOf(id)).toBe('dead')
})

test('over HTTP an allowed action leaves its reason, operator and client in the audit', async () => {
  const id = await bury()
  const { transport, tools, call } = await connectByHttp('--allow-actions')
  expect(await tools()).toEqual([...READS, ...ACTIONS])
  const replay = { outbox: 'shop.events', ids: [id] }
  expect((await call('replay_messages', replay)).refused).toContain('reason')
  const run = await call('replay_messages', { ...replay, reason: 'the shelf is full' })
  expect(run).toMatchObject({ replayed: 1 })
  const { rows } = await pool.query(
    sql`select actor, reason from posthorn.transition where message_id = ${id}`,
  )
  expect(rows).toEqual([{ actor: 'mcp:ada via test-agent', reason: 'the shelf is full' }])
  await transport.terminateSession()
  await expect(tools()).rejects.toThrow(/404|Error POSTing/)
})
