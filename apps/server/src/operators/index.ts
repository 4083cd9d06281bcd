import type { Log, Metrics, Outbox } from '@posthorn/engine'
import { takeSamples } from '@posthorn/engine/internal'
import type { AnnouncementFeed } from '@posthorn/operate/internal'
import { createAnnouncementFeed, createFeed, startPeriodically, type Feed } from '@posthorn/operate'
import type { App } from '@posthorn/http'
import type { Simulator } from '@posthorn/simulators'
import type { Pool } from 'pg'
import type { Opened } from '../systems/open-systems.ts'
import { alertRoutes } from './alerts.ts'
import { asyncApiRoute } from './async-api.ts'
import { auditEntryRoutes, auditRoutes } from './audit.ts'
import { businessJourneyRoutes } from './business-journey.ts'
import { chartRoutes } from './charts.ts'
import { consumerRoutes } from './consumers.ts'
import { databaseRoutes, overviewRoutes } from './overview.ts'
import { erasureRoutes } from './keeping/erasures.ts'
import { graphRoutes } from './outboxes/graph.ts'
import { journeyRoutes } from './outboxes/journey.ts'
import { legalHoldRoutes } from './keeping/legal-holds.ts'
import { meRoutes } from './me.ts'
import { allMessageRoutes, messageRoutes } from './outboxes/messages.ts'
import type { OutboxRegistry } from './outboxes/outbox-registry.ts'
import { outboxRoutes } from './outboxes/outboxes.ts'
import { recurringRoutes } from './outboxes/recurring.ts'
import { deadLetterRoutes, replayRoutes, replayTask } from './outboxes/replays.ts'
import { retentionRoutes } from './keeping/retention.ts'
import { searchRoutes } from './search.ts'
import { simulationRoutes } from './simulation.ts'
import { streamRoutes } from './stream.ts'

type Shown = 'nameDestinations' | 'audits' | 'searches' | 'follows' | 'retention' | 'sealing'

/** What the routes of operators work with. */
export interface OperatorParts
  extends Pick<Opened, Shown>, Partial<Pick<Opened, 'handlers' | 'consumers'>> {
  readonly pool: Pool
  readonly outboxes: OutboxRegistry
  readonly feed: Feed
  readonly announcements: AnnouncementFeed
  /** Who plays the outside world; undefined in production. */
  readonly simulators: readonly Simulator[] | undefined
}

interface OperatorOptions extends Omit<OperatorParts, 'outboxes' | 'feed' | 'announcements'> {
  readonly outboxes: readonly Outbox[]
  /** Whether data is kept by classes, and persons are erased: systems have it. */
  readonly hasRetention: boolean
  readonly log: Log
  readonly metrics?: Metrics
  readonly mode?: 'listen' | 'poll'
}

/** Twice a minute, so that no minute is left out. */
const SAMPLING_EVERY_MS = 30_000

/** What operators see and do, the same for every outbox of every system. */
export function operatorRoutes(
  app: App,
  { outboxes, hasRetention, log, metrics, mode = 'listen', ...options }: OperatorOptions,
): void {
  const { pool } = options
  const parts: OperatorParts = {
    ...options,
    outboxes: new Map(outboxes.map((outbox) => [outbox.name, outbox])),
    feed: createFeed({ pool, log }),
    announcements: createAnnouncementFeed({ pool, log, mode }),
  }
  // Counts what waits from here too: relays do it, and a backlog is never more interesting than when
  // there are none.
  const sampling = {
    ...{ name: 'server.sampling', everyMs: SAMPLING_EVERY_MS, firstMs: SAMPLING_EVERY_MS },
    step: (signal: AbortSignal) => takeSamples(pool, outboxes, { log, signal }),
  }
  const tasks = [sampling, replayTask(pool, outboxes)]
  const stopTasks = startPeriodically(tasks, { log, ...(metrics && { metrics }) })
  app.addHook('onClose', async () => {
    await Promise.all([parts.feed.close(), parts.announcements.close(), stopTasks()])
  })
  for (const addRoutes of [
    ...[meRoutes, asyncApiRoute, overviewRoutes, chartRoutes, outboxRoutes, recurringRoutes],
    ...[graphRoutes, allMessageRoutes, messageRoutes, journeyRoutes, deadLetterRoutes],
    ...[consumerRoutes, replayRoutes, alertRoutes, auditRoutes, auditEntryRoutes, databaseRoutes],
    ...(hasRetention ? [retentionRoutes, legalHoldRoutes, erasureRoutes] : []),
    searchRoutes,
    ...(parts.follows.length > 0 ? [businessJourneyRoutes] : []),
    streamRoutes,
    ...(parts.simulators ? [simulationRoutes] : []),
  ]) {
    addRoutes(app, parts)
  }
}
