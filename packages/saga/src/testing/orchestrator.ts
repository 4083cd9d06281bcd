import { createRelay, type Relay, type RelayOptions } from '@posthorn/engine'
import type { Pool } from 'pg'
import { sagas, sagaTurns, type AnySaga, type SagaEvents } from '../index.ts'

interface Orchestrating extends Pick<RelayOptions, 'drain' | 'maintenance'> {
  readonly pool: Pool
  readonly sagas: readonly AnySaga[]
  readonly events?: SagaEvents
}

/** Runs sagas, and leaves their events where they are. */
export function createOrchestrator({ pool, sagas: all, events, ...rest }: Orchestrating): Relay {
  const { transports } = sagas(pool, all, events ? { events } : {})
  return createRelay({ ...rest, pool, outboxes: [sagaTurns], transports })
}
