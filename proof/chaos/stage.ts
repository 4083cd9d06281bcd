import type { Outbox } from '@posthorn/engine'
import type { Pool } from 'pg'
import type { Fleet } from '../kit/processes/fleet.ts'
import type { Pooler, Servers } from '../kit/servers/servers.ts'
import type { SmallDisk } from '../kit/servers/small-disk.ts'
import type { Lines } from './lines.ts'
import type { World } from '../kit/stand/world.ts'

export const ROLES = ['api', 'relay', 'worker'] as const
export type Role = (typeof ROLES)[number]

/** One process of the server, wherever in its many lives it is. */
export interface Member {
  readonly role: Role
  readonly place: number
}

/** Everything that can be broken. */
export interface Stage {
  readonly servers: Servers
  /** What the last process of each role has in front of Postgres; undefined where each is alone. */
  readonly pooler: Pooler | undefined
  /** Straight to Postgres, for those who look and those who break. */
  readonly pool: Pool
  readonly fleets: Readonly<Record<Role, Fleet>>
  linesOf(member: Member): Lines
  readonly world: World
  /** Of all systems. */
  readonly outboxes: readonly Outbox[]
  /** Where the database has its tables; undefined where nothing may be mounted. */
  readonly disk: SmallDisk | undefined
  readonly signal: AbortSignal
}

export function nameOf({ role, place }: Member): string {
  return `${role}-${place}`
}
