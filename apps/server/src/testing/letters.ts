import {
  defineOutbox,
  delivered,
  DeliveryError,
  enqueue,
  exponential,
  outboxTableSql,
  refused,
  transaction,
  type MigrationSet,
  type Outbox,
  type OutboxDefinition,
  type Transport,
} from '@posthorn/engine'
import type { RetentionCatalogue } from '@posthorn/operate'
import { defineSystem, type System } from '@posthorn/system'
import type { Pool } from 'pg'
import { Type } from 'typebox'

/** The table of the test's letters, before the engine adds its part. */
const letterTable = `
  create schema letters;
  create table letters.letter (
    id uuid primary key,
    org_id text not null,
    reader text not null,
    type text not null,
    token text not null default 'hush',
    status text not null default 'written',
    attempts integer not null default 0,
    due_at timestamptz not null default posthorn.now(),
    error text,
    error_code text,
    created_at timestamptz not null default now()
  );`

/** A replay of letters that waits for its rate. */
export const longReplay = `
  insert into posthorn.replay (id, outbox, filter, per_second, matched, wanted, replayed, actor, next_batch_at)
  values ('01890a5d-ac96-774b-bcce-b302099a8057', 'test.letters', '{}', 1, 20000, 20000, 10000, 'eve',
          posthorn.now() + interval '1 h')`

/** A row of `letters.letter`. */
export interface Letter {
  id: string
  org_id: string
  reader: string
  type: string
  token: string
  status: string
  attempts: number
  due_at: Date
  error: string | null
  error_code: string | null
  created_at: Date
}

/** An ordered outbox with every role, and a post office that refuses the readers a test names. */
export interface Letters {
  readonly system: System
  readonly outbox: Outbox<Letter>
  readonly refusing: Set<string>
  /** What arrived, as `reader type`. */
  readonly arrived: string[]
  write(pool: Pool, letter: { reader: string; type?: string; org?: string }): Promise<string>
}

/** The outbox of `letters.letter`, under a name and with what a test wants beside the usual. */
export function defineLetters(
  own: Pick<OutboxDefinition<Letter>, 'name' | 'secrets' | 'encrypt' | 'recurring'>,
): Outbox<Letter> {
  return defineOutbox<Letter>({
    table: 'letters.letter',
    states: { ready: 'written', sent: 'posted', dead: 'lost', cancelled: 'torn' },
    columns: {
      dueAt: 'due_at',
      error: 'error',
      errorCode: 'error_code',
      tenant: 'org_id',
      type: 'type',
      createdAt: 'created_at',
    },
    counter: { column: 'attempts', bumps: 'on-failure' },
    retry: exponential('1s', { attempts: 3 }),
    order: { key: 'reader', dead: 'block' },
    destination: { transport: 'post', topic: 'letters' },
    message: ({ id, type, reader, org_id: tenant, token }) => ({
      id,
      type,
      key: reader,
      tenant,
      payload: { reader, token },
    }),
    ...own,
  })
}

/** Its table, as a migration of the system `letters`. */
export function letterMigrations(outbox: Outbox<Letter>): MigrationSet {
  const sql = `${letterTable}\n${outboxTableSql(outbox)}`
  return { name: 'letters', migrations: [{ id: '0001_letters', sql, checksum: 'test' }] }
}

const POSTED = {
  ...{ table: 'letters.letter', key: ['id'], uuid: 'id', dated: 't.created_at', org: 't.org_id' },
  ...{ when: `t.status = 'posted'`, things: { letter: 't.id' } },
}
const retention: RetentionCatalogue = {
  classes: [
    {
      ...{ name: 'letters.posted', title: 'Letters that were posted', keep: '90d', least: '7d' },
      ...{ personal: true, leaves: 'Nothing.', rules: [POSTED] },
    },
    {
      ...{ name: 'letters.stamps', title: 'Stamps', keep: '1d', fixed: true, personal: false },
      ...{ leaves: 'Nothing.', rules: [] },
    },
  ],
  things: { letter: { table: 'letters.letter', id: 'id', org: 'org_id' } },
}

export function letterSystem(own: Pick<OutboxDefinition<Letter>, 'recurring'> = {}): Letters {
  const refusing = new Set<string>()
  const arrived: string[] = []
  const outbox = defineLetters({ name: 'test.letters', secrets: ['token'], ...own })
  const post: Transport = {
    async deliver(batch) {
      return batch.map(({ message }) => {
        if (refusing.has(message.key ?? '')) {
          return refused(new DeliveryError('NO_SUCH_READER', `${message.key} moved away`))
        }
        arrived.push(`${message.key} ${message.type}`)
        return delivered()
      })
    },
    close: async () => undefined,
  }
  const system = defineSystem({
    name: 'letters',
    settings: Type.Object({}),
    migrations: async () => letterMigrations(outbox),
    open: () => ({ outboxes: [outbox], transports: { post }, retention }),
  })
  return {
    system,
    outbox,
    refusing,
    arrived,
    async write(pool, { reader, type = 'note', org = 'demo' }) {
      const { id } = await transaction(pool, (tx) =>
        enqueue(tx, outbox, { reader, type, org_id: org }),
      )
      return id
    },
  }
}
