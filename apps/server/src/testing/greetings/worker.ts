import { transaction, type Log, type Message } from '@posthorn/engine'
import { defineInbox, once } from '@posthorn/engine/inbox'
import type { SystemConsumer } from '@posthorn/systems'
import type { Pool } from 'pg'
import { TOPIC } from './outbox.ts'
import { countGreeting } from './queries.ts'

const inbox = defineInbox({ table: 'example.inbox', retention: '30d' })

const GROUP = 'greeter'

/** Counts greetings by name, each message once however often it arrives. */
export function greeter(pool: Pool, transport: string, log: Log): SystemConsumer {
  return {
    transport,
    topic: TOPIC,
    group: GROUP,
    async handle(message: Message) {
      const { name } = message.payload as { name: string }
      const receipt = { inbox, consumer: GROUP, id: message.id }
      const done = await transaction(pool, (tx) => once(tx, receipt, () => countGreeting(tx, name)))
      if (done.first) log.info({ name, times: done.result }, 'greeted')
    },
  }
}
