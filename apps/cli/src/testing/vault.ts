import {
  defineOutbox,
  exponential,
  outboxTableSql,
  type MasterKeys,
  type Outbox,
  type OutboxRow,
} from '@posthorn/engine'

/** An outbox whose payloads are encrypted. */
export function vaultLetters(keys: MasterKeys): Outbox {
  return defineOutbox<OutboxRow>({
    name: 'vault.letters',
    table: 'vault.letter',
    states: { ready: 'waiting', sent: 'sent', dead: 'dead' },
    columns: { dueAt: 'due_at', tenant: 'org_id' },
    counter: { column: 'attempts', bumps: 'on-failure' },
    retry: exponential('1s', { attempts: 3 }),
    encrypt: { columns: ['payload'], keys },
    destination: { transport: 'topics', topic: 'vault.letters' },
    message: (row) => ({ id: String(row['id']), type: 'letter', payload: row['payload'] }),
  })
}

const unused: MasterKeys = {
  wrap: () => Promise.reject(new Error('nothing is written')),
  unwrap: () => Promise.reject(new Error('nothing is read')),
}

const sql = `create schema vault;
create table vault.letter (
  id uuid primary key,
  org_id text not null,
  payload jsonb not null,
  status text not null default 'waiting',
  attempts integer not null default 0,
  due_at timestamptz not null default posthorn.now()
);
${outboxTableSql(vaultLetters(unused))}`

export async function vaultMigrations() {
  return { name: 'vault', migrations: [{ id: '0001_letters', sql, checksum: '1' }] }
}

/** For POSTHORN_CONFIG. */
export const systems = [
  {
    name: 'vault',
    settings: { type: 'object', properties: {}, required: [] },
    migrations: vaultMigrations,
    open: ({ masterKeys }: { masterKeys: MasterKeys }) => ({
      outboxes: [vaultLetters(masterKeys)],
    }),
  },
]
