import {
  defineOutbox,
  delivered,
  enqueue,
  fixed,
  keyRing,
  outboxTableSql,
  transaction,
  type MasterKeys,
} from '@posthorn/engine'
import { callerOf } from '@posthorn/http'
import { defineSystem } from '@posthorn/systems'
import { Type } from 'typebox'
import { letterTable } from './queries.ts'

interface Letter {
  id: string
  org_id: string
  reader: string
  type: string
  token: string
  status: string
  attempts: number
  due_at: Date
}

function sealedLetters(keys: MasterKeys) {
  return defineOutbox<Letter>({
    name: 'test.sealed-letters',
    table: 'letters.letter',
    states: { ready: 'written', sent: 'posted', dead: 'lost' },
    columns: { dueAt: 'due_at', tenant: 'org_id', type: 'type' },
    counter: { column: 'attempts', bumps: 'on-failure' },
    retry: fixed('1m', { attempts: 3 }),
    encrypt: { columns: ['token'], keys },
    destination: { transport: 'post', topic: 'letters' },
    message: ({ id, type, reader, token }) => ({ id, type, payload: { reader, token } }),
  })
}

const post = {
  async deliver(batch: readonly unknown[]) {
    return batch.map(() => delivered())
  },
  close: async () => undefined,
}

const lettersSystem = defineSystem({
  name: 'letters',
  settings: Type.Object({}),
  migrations: async () => {
    const table = outboxTableSql(sealedLetters(keyRing(['the table does not depend on keys'])))
    const migration = { id: '0001_letters', sql: `${letterTable}\n${table}`, checksum: 'test' }
    return { name: 'letters', migrations: [migration] }
  },
  open({ pool, masterKeys }) {
    if (!masterKeys) throw new Error('this host has no master keys')
    const outbox = sealedLetters(masterKeys)
    return {
      outboxes: [outbox],
      transports: { post },
      routes(app) {
        const body = Type.Object({ reader: Type.String(), token: Type.String() })
        app.post('/api/v1/letters', { schema: { body } }, async (request, reply) => {
          const letter = { ...request.body, type: 'note', org_id: callerOf(request).org }
          const { id } = await transaction(pool, (tx) => enqueue(tx, outbox, letter))
          return reply.code(202).send({ id })
        })
      },
    }
  },
})

/** For POSTHORN_CONFIG: an outbox whose letters are stored encrypted. */
export const systems = [lettersSystem]
