import type { Outbox, Queryable } from '@posthorn/engine'
import type { EventRow } from './outbox.ts'
import { countEffects, selectStanding } from './queries.ts'

const EVERY_MS = 2_000

/** Prints how far an outbox is; returns what ends it. */
export function showProgress(db: Queryable, outbox: Outbox<EventRow>): () => void {
  const began = performance.now()
  const show = async () => {
    const seconds = ((performance.now() - began) / 1_000).toFixed(0).padStart(4)
    const { sent, waiting, held, heldKeys } = await selectStanding(db, outbox)
    const effects = await countEffects(db, outbox.name)
    const keys = `${held} held of ${heldKeys} keys`
    console.log(`${seconds} s  ${sent} sent, ${waiting} waiting (${keys}), ${effects} effects`)
  }
  // The database is away now and then, on purpose.
  const timer = setInterval(() => void show().catch(() => undefined), EVERY_MS)
  return () => clearInterval(timer)
}
