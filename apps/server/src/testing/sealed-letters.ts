import { delivered, enqueue, keyRing, transaction, type MasterKeys } from '@posthorn/engine'
import { callerOf } from '@posthorn/http'
import { defineSystem } from '@posthorn/system'
import { Type } from 'typebox'
import { defineLetters, letterMigrations } from './letters.ts'

function sealedLetters(keys: MasterKeys) {
  return defineLetters({ name: 'test.sealed-letters', encrypt: { columns: ['token'], keys } })
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
  migrations: async () =>
    letterMigrations(sealedLetters(keyRing(['the table does not depend on keys']))),
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
