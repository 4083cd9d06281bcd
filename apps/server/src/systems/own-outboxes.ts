import type { Outbox } from '@posthorn/engine'
import type { System } from '@posthorn/system'
import { Type } from 'typebox'

/** The name of the system that holds them. */
export const OWN_OUTBOXES = 'outboxes'

/**
 * A user's own outboxes as a system that has nothing else: their tables are the user's. Those whose
 * messages are handled in the user's own process are relayed there.
 */
export function ownOutboxes(outboxes: readonly Outbox[]): System {
  return {
    name: OWN_OUTBOXES,
    settings: Type.Object({}),
    migrations: async () => ({ name: OWN_OUTBOXES, migrations: [] }),
    usesTopics: outboxes.some(({ destination }) => transportOf(destination) === 'topics'),
    open: () => ({
      outboxes,
      relayed: outboxes.filter(({ destination }) => transportOf(destination) !== 'handlers'),
    }),
  }
}

function transportOf(destination: Outbox['destination']): string | undefined {
  return typeof destination === 'function' ? undefined : destination.transport
}
