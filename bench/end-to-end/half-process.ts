import { createRelay } from '@posthorn/engine'
import { handleOnce } from '@posthorn/engine/inbox'
import { peakMemoryMb } from '@posthorn/system/testing'
import { kafkaTransport } from '@posthorn/transports/kafka'
import { postgresTransport } from '@posthorn/transports/postgres'
import { rabbitmqTransport } from '@posthorn/transports/rabbitmq'
import { Pool } from 'pg'
import { consumeBare, produceBare } from './bare.ts'
import { CONSUMER, epochMs, INBOX, type HalfOrder, type Handled, type Usage } from './halves.ts'
import { BATCH, benchOutbox } from '../kit/outbox.ts'
import { sampleOf } from '../kit/payload.ts'

const IN_HAND = 2
/** One for each partition, and two more. */
const CONSUMER_CONNECTIONS = 10

const order = JSON.parse(process.argv[2] ?? '{}') as HalfOrder

function onHandled(payloads: readonly unknown[]): void {
  const event: Handled = { atMs: epochMs(), samples: payloads.map(sampleOf) }
  process.send?.({ event })
}

function openTransport(pool: Pool) {
  const { transport, address } = order
  switch (transport) {
    case 'kafka':
      return kafkaTransport({ brokers: address.split(','), deadLetters: pool })
    case 'rabbitmq':
      return rabbitmqTransport({ url: address, deadLetters: pool, prefetch: 2 * BATCH })
    case 'postgres':
      return postgresTransport({ pool, batch: BATCH })
  }
}

async function relay(): Promise<void> {
  const { databaseUrl, transport, topic, claims } = order
  const pool = new Pool({ connectionString: databaseUrl, max: IN_HAND + 4 })
  const outbox = benchOutbox({ claims, record: 'none', inHand: IN_HAND }, { transport, topic })
  const transports = { [transport]: openTransport(pool) }
  await createRelay({ pool, outboxes: [outbox], transports }).start()
}

/** A poll goes through the inbox in one transaction. */
async function consumer(): Promise<void> {
  const { databaseUrl, topic } = order
  const pool = new Pool({ connectionString: databaseUrl, max: CONSUMER_CONNECTIONS })
  const once = handleOnce({
    ...{ pool, inbox: INBOX, consumer: CONSUMER, size: BATCH },
    handle: async () => undefined,
  })
  await openTransport(pool).subscribe({
    ...{ topic, group: CONSUMER },
    async handle(message, context) {
      await once.handle(message, context)
      onHandled([message.payload])
    },
    batch: {
      size: BATCH,
      async handle(messages, context) {
        const results = await once.batch.handle(messages, context)
        const done = messages.filter((_, i) => results[i] === 'done')
        onHandled(done.map(({ payload }) => payload))
        return results
      },
    },
  })
}

process.on('message', () => {
  const { userCPUTime, systemCPUTime } = process.resourceUsage()
  const cpuUs = userCPUTime + systemCPUTime
  process.send?.({ peakMb: Math.round(peakMemoryMb()), cpuUs } satisfies Usage)
})
process.once('disconnect', () => process.exit())
if (order.half === 'relay') await relay()
else if (order.half === 'consumer') await consumer()
else if (order.half === 'bare producer') await produceBare(order)
else await consumeBare(order, onHandled)
process.send?.('ready')
