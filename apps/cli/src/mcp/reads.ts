import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { Outbox } from '@posthorn/engine'
import {
  getMessage,
  listMessages,
  readJourney,
  viewMessage,
  type MessageDetails,
} from '@posthorn/operate'
import { explainMessages } from '@posthorn/operate/internal'
import { groupDead } from '@posthorn/engine/internal'
import { z } from 'zod'
import { readStatus } from '../commands/status.ts'
import { Failure } from '../errors.ts'
import { given } from '../options.ts'
import { outboxNamed, readFilter, type Session } from '../session.ts'
import { answer, type Tools } from './tools.ts'

export const OUTBOX = z.string().describe('name of the outbox, as list_outboxes shows it')
const ID = z.string().describe('id of the message')
const TIME = z.string().describe('a time such as 2026-03-01T12:00:00Z, or how long ago, such as 2h')

/** Conditions on messages, the same for lists, dry runs and replays. */
export const FILTER = {
  type: z.string().optional().describe('type of the message'),
  tenant: z.string().optional(),
  key: z.string().optional().describe('ordering key'),
  code: z.string().optional().describe('error code of the last failure'),
  since: TIME.optional(),
  until: TIME.optional(),
}

const READ_ONLY = { readOnlyHint: true, openWorldHint: false } as const

/** Tools that change nothing. Secret fields are left out, and encrypted payloads stay closed. */
export function addReads(server: McpServer, { session, diagnose }: Tools): void {
  server.registerTool(
    'list_outboxes',
    {
      description:
        'Every outbox and its health: states, due, oldest, rates, relays, pauses, alerts',
      annotations: READ_ONLY,
    },
    () => answer(() => readStatus(session)),
  )
  server.registerTool(
    'find_messages',
    {
      description: 'Messages of an outbox, newest first',
      inputSchema: {
        outbox: OUTBOX,
        ...FILTER,
        state: z.string().optional().describe("one of the outbox's states"),
        search: z.string().optional().describe('text anywhere in the row; slow on large tables'),
        limit: z.number().int().min(1).max(100).default(20),
      },
      annotations: READ_ONLY,
    },
    ({ outbox: name, state, search, limit, ...conditions }) =>
      answer(async () => {
        const outbox = outboxNamed(session, name)
        const { ids: _, ...filter } = await readFilter(session.db, given(conditions))
        const wanted = { ...filter, ...given({ state, search }), limit }
        return listMessages(session.db, outbox, wanted)
      }),
  )
  server.registerTool(
    'explain_message',
    {
      description: 'One message, every transition, and why it waits or failed',
      inputSchema: { outbox: OUTBOX, id: ID },
      annotations: READ_ONLY,
    },
    ({ outbox: name, id }) =>
      answer(async () => {
        const { outbox, details } = await findMessage(session, name, id)
        const { row, ...summary } = details
        const { message, destination, unreadable } = viewMessage(outbox, row)
        const [why] = await explainMessages(session.db, outbox, [details])
        return { why, ...summary, message, destination, unreadable }
      }),
  )
  server.registerTool(
    'message_journey',
    {
      description: 'Where a message came from, each step it took, and other messages of its trace',
      inputSchema: { outbox: OUTBOX, id: ID },
      annotations: READ_ONLY,
    },
    ({ outbox: name, id }) =>
      answer(async () => {
        const found = await findMessage(session, name, id)
        return readJourney(session.pool, [...session.outboxes.values()], found)
      }),
  )
  server.registerTool(
    'list_dead_letters',
    {
      description: 'Dead letters of an outbox, grouped by the code of their last failure',
      inputSchema: { outbox: OUTBOX, ...FILTER },
      annotations: READ_ONLY,
    },
    ({ outbox: name, ...conditions }) =>
      answer(async () => {
        const outbox = outboxNamed(session, name)
        const filter = await readFilter(session.db, given(conditions))
        return { outbox: name, causes: await groupDead(session.db, outbox, filter) }
      }),
  )
  server.registerTool(
    'run_doctor',
    {
      description:
        'Checks environment, database, tables, indexes, brokers and relays; names the fixes',
      annotations: READ_ONLY,
    },
    () => answer(async () => ({ findings: await diagnose() })),
  )
}

async function findMessage(
  session: Session,
  name: string,
  id: string,
): Promise<{ outbox: Outbox; details: MessageDetails }> {
  const outbox = outboxNamed(session, name)
  const details = await getMessage(session.db, outbox, id)
  if (!details) throw new Failure(`${name} has no message ${id}`)
  return { outbox, details }
}
