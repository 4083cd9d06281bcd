import { createRelay, delivered, type RelayOptions } from '@posthorn/engine'
import { Pool } from 'pg'
import { benchOutbox, type OutboxForm } from '../kit/outbox.ts'

/** A child process of `growth`: a relay with a destination that does nothing. */
export interface RelayOrder {
  readonly databaseUrl: string
  readonly form: OutboxForm
  readonly mode: NonNullable<RelayOptions['mode']>
}

/** What it says to its parent. */
export type RelayReport =
  { readonly kind: 'ready' | 'stopped' } | { readonly kind: 'delivered'; readonly count: number }

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
const say = (report: RelayReport) => process.send?.(report)
const reporting = setInterval(() => {
  if (count > 0) say({ kind: 'delivered', count })
  count = 0
}, REPORT_EVERY_MS)
const stop = async () => {
  await relay.stop()
  clearInterval(reporting)
  say({ kind: 'delivered', count })
  say({ kind: 'stopped' })
}
process.on('message', (message) => void (message === 'start' ? relay.start() : stop()))
process.once('disconnect', () => process.exit())
await pool.query('select 1')
say({ kind: 'ready' })
