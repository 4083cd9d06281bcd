import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { transaction } from '@posthorn/engine'
import { cancel, countReplay, pause, resume, runReplay, startReplay } from '@posthorn/operate'
import { getReplay } from '@posthorn/operate/internal'
import { z } from 'zod'
import { Failure } from '../errors.ts'
import { given } from '../options.ts'
import { outboxNamed, readFilter } from '../session.ts'
import { FILTER, OUTBOX } from './reads.ts'
import { answer, type Tools } from './tools.ts'

const REASON = z.string().trim().min(1).max(1_000).describe('the reason; recorded in the audit')
const IDS = z.array(z.string()).min(1).max(500)
const REPLAY = {
  outbox: OUTBOX,
  ...FILTER,
  ids: IDS.optional().describe('only these messages'),
  limit: z.number().int().min(1).optional().describe('at most this many, oldest first'),
}

type Wanted = z.infer<z.ZodObject<typeof REPLAY>>

/** Tools that change something, each with a reason; the audit names the operator and the client. */
export function addActions(server: McpServer, { session, operator }: Tools): void {
  const { pool, db } = session
  const signed = (reason: string) => {
    const client = server.server.getClientVersion()?.name
    return { by: `mcp:${operator}${client === undefined ? '' : ` via ${client}`}`, reason }
  }
  const wanted = async ({ outbox: name, ids, ...conditions }: Wanted) => {
    const filter = await readFilter(db, { ...given(conditions), ...given({ id: ids }) })
    return { outbox: outboxNamed(session, name), filter }
  }

  server.registerTool(
    'dry_run_replay',
    {
      description: 'Counts the dead letters that replay_messages would send again; changes nothing',
      inputSchema: REPLAY,
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    (input) =>
      answer(async () => {
        const { outbox, filter } = await wanted(input)
        const matched = await countReplay(pool, outbox, filter)
        return {
          outbox: outbox.name,
          matched,
          wouldReplay: Math.min(matched, input.limit ?? matched),
        }
      }),
  )
  server.registerTool(
    'replay_messages',
    {
      description:
        'Sends dead or quarantined messages again, with their attempts back at zero. Run dry_run_replay first',
      inputSchema: { ...REPLAY, reason: REASON },
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
    },
    ({ reason, ...input }) =>
      answer(async () => {
        const { outbox, filter } = await wanted(input)
        const options = { filter, ...signed(reason), ...given({ limit: input.limit }) }
        const started = await transaction(pool, (tx) => startReplay(tx, outbox, options))
        const run = await runReplay(pool, outbox, { run: started })
        return (await getReplay(pool, outbox, run.id)) ?? run
      }),
  )
  for (const [name, act, description] of [
    ['pause_outbox', pause, 'Stops relays from claiming; messages in flight finish'],
    ['resume_outbox', resume, 'Lets relays claim again'],
  ] as const) {
    server.registerTool(
      name,
      {
        description,
        inputSchema: { outbox: OUTBOX, reason: REASON },
        annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
      },
      ({ outbox: wantedName, reason }) =>
        answer(async () => {
          const outbox = outboxNamed(session, wantedName)
          await transaction(pool, (tx) => act(tx, outbox, signed(reason)))
          return { outbox: outbox.name, paused: name === 'pause_outbox' }
        }),
    )
  }
  server.registerTool(
    'cancel_messages',
    {
      description: 'Ends messages that wait or are dead. This is final',
      inputSchema: { outbox: OUTBOX, ids: IDS, reason: REASON },
      annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
    },
    ({ outbox: name, ids, reason }) =>
      answer(async () => {
        const outbox = outboxNamed(session, name)
        if (outbox.states.cancelled === undefined) {
          throw new Failure(`messages of ${name} cannot be cancelled`)
        }
        const cancelled = await transaction(pool, (tx) =>
          cancel(tx, outbox, { ids, ...signed(reason) }),
        )
        return { outbox: name, cancelled }
      }),
  )
}
