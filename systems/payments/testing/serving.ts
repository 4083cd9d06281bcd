import type { Outbox } from '@posthorn/engine'
import type { OpenSystem } from '@posthorn/system'
import { askWith } from '@posthorn/system/testing/ask'
import { serveSystem, signTestToken, type TestCaller } from '@posthorn/system/testing/serve'
import type { Pool } from 'pg'
import { payments } from '../index.ts'
import { simulatedReceivers } from '../simulators/index.ts'

export const tokenOf = (caller: TestCaller = {}) => signTestToken({ role: 'admin', ...caller })

/** Asks a server in the name of a user. */
export const userOf = async (url: string, caller?: TestCaller) =>
  askWith(url, await tokenOf(caller))

/** The system behind a real server on a free port, with the outside world it brings. */
export const serve = (pool: Pool, env: Readonly<Record<string, string | undefined>> = {}) =>
  serveSystem(payments, { pool, env, receivers: simulatedReceivers })

const LEASE_MS = 2_000

/** The outboxes whose messages leave the process: those of the webhooks. */
export function webhookOutboxes({ outboxes, handlers = [] }: OpenSystem): Outbox[] {
  const handled = new Set(handlers.map(({ outbox }) => outbox.name))
  return outboxes.filter(({ name }) => !handled.has(name))
}

/** Nothing rings for what another process of a test enqueues. */
const POLL_MS = 200

/** The same outboxes with a short lease: what a dead process held is soon free. */
export function impatient(system: OpenSystem): Outbox[] {
  return webhookOutboxes(system).map((outbox) => ({
    ...outbox,
    leaseMs: LEASE_MS,
    everyMs: POLL_MS,
  }))
}
