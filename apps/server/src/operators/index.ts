import type { AnnouncementFeed } from '@posthorn/operate/internal'
import type { Feed } from '@posthorn/operate'
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
import { outboxRoutes } from './outboxes/outboxes.ts'
import { recurringRoutes } from './outboxes/recurring.ts'
import { deadLetterRoutes, replayRoutes } from './outboxes/replays.ts'
import { retentionRoutes } from './keeping/retention.ts'
import { searchRoutes } from './search.ts'
import { simulationRoutes } from './simulation.ts'
import { streamRoutes } from './stream.ts'

type Parts = 'nameDestinations' | 'audits' | 'searches' | 'follows' | 'retention' | 'sealing'

export interface OperatorOptions
  extends Pick<Opened, 'outboxes' | Parts>, Partial<Pick<Opened, 'handlers' | 'consumers'>> {
  readonly pool: Pool
  readonly feed: Feed
  readonly announcements: AnnouncementFeed
  /** Whether data is kept by classes, and persons are erased: systems have it. */
  readonly hasRetention: boolean
  /** Who plays the outside world; undefined in production. */
  readonly simulators: readonly Simulator[] | undefined
}

/** What operators see and do, the same for every outbox of every system. */
export function operatorRoutes(app: App, options: OperatorOptions): void {
  const { pool, outboxes, feed, announcements, audits, retention, sealing, simulators } = options
  const registered = new Map(outboxes.map((outbox) => [outbox.name, outbox]))
  meRoutes(app)
  asyncApiRoute(app, options)
  const { nameDestinations } = options
  overviewRoutes(app, { pool, outboxes: registered, nameDestinations })
  chartRoutes(app, { pool, outboxes: registered, nameDestinations })
  outboxRoutes(app, pool, registered)
  recurringRoutes(app, pool, registered)
  graphRoutes(app, pool, registered)
  allMessageRoutes(app, pool, registered)
  messageRoutes(app, pool, registered)
  journeyRoutes(app, pool, registered)
  deadLetterRoutes(app, pool, { outboxes: registered, nameDestinations })
  consumerRoutes(app, pool)
  replayRoutes(app, pool, registered)
  alertRoutes(app, pool, nameDestinations)
  auditRoutes(app, pool)
  auditEntryRoutes(app, pool, audits)
  databaseRoutes(app, pool, registered)
  if (options.hasRetention) {
    retentionRoutes(app, pool, retention)
    legalHoldRoutes(app, pool, retention)
    erasureRoutes(app, { pool, retention, sealing })
  }
  searchRoutes(app, { pool, outboxes: registered, searches: options.searches })
  if (options.follows.length > 0) {
    businessJourneyRoutes(app, { pool, follows: options.follows, outboxes: registered })
  }
  streamRoutes(app, { feed, announcements })
  if (simulators) simulationRoutes(app, pool, simulators)
}
