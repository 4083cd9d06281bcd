import { createRelay, delivered, type RelayOptions } from '@posthorn/engine'
import { Pool } from 'pg'
import { benchOutbox, type OutboxForm } from '../kit/outbox.ts'

/** A child process of `growth`: a relay with a destination that does nothing. */
export interface RelayOrder {
  readonly databaseUrl: string
  readonly form: OutboxForm
  readonly mode: NonNullable<RelayOptions['mode']>
}

const REPORT_EVERY_MS = 20

const { databaseUrl, form, mode } = JSON.parse(process.argv[2] ?? '{}') as RelayOrder
const pool = new Pool({ connectionString: databaseUrl, max: form.inHand + 2 })
let count = 0
const relay = createRelay({
  ...{ pool, mode, outboxes: [benchOutbox(form)] },
  transports: {
    noop: {
      async deliver(batch) {
        count += batch.length
        return batch.map(() => delivered())
      },
      async close() {},
    },
  },
})
/** How many were delivered since the last time. */
const report = () => {
  if (count > 0) process.send?.({ event: count })
  count = 0
}
const reporting = setInterval(report, REPORT_EVERY_MS)
const stop = async () => {
  await relay.stop()
  clearInterval(reporting)
  report()
  process.send?.('stopped')
}
process.on('message', (message) => void (message === 'start' ? relay.start() : stop()))
process.once('disconnect', () => process.exit())
await pool.query('select 1')
process.send?.('ready')
