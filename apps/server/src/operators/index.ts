import type { Feed, Outbox } from '@posthorn/engine'
import type { App } from '@posthorn/http'
import type { Pool } from 'pg'
import { alertRoutes } from './alerts.ts'
import { auditRoutes } from './audit.ts'
import { messageRoutes } from './messages.ts'
import { outboxRoutes } from './outboxes.ts'
import { replayRoutes } from './replays.ts'
import { streamRoutes } from './stream.ts'

export interface OperatorOptions {
  readonly pool: Pool
  readonly outboxes: readonly Outbox[]
  readonly feed: Feed
}

/** What operators see and do, the same for every outbox whatever its system. */
export function operatorRoutes(app: App, { pool, outboxes, feed }: OperatorOptions): void {
  const registered = new Map(outboxes.map((outbox) => [outbox.name, outbox]))
  outboxRoutes(app, pool, registered)
  messageRoutes(app, pool, registered)
  replayRoutes(app, pool, registered)
  alertRoutes(app, pool)
  auditRoutes(app, pool)
  streamRoutes(app, feed)
}
