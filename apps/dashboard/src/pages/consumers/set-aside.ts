import type { paths } from '../../api/schema.d.ts'
import type { StateRole } from '../../states/role.ts'

export type SetAside =
  paths['/api/v1/consumers/dead-letters']['get']['responses']['200']['content']['application/json']['items'][number]

export type ConsumerGroup =
  paths['/api/v1/consumers']['get']['responses']['200']['content']['application/json']['items'][number]

export const SET_ASIDE_STATES = ['dead', 'retry', 'parked'] as const

/** They look like the states of messages in an outbox that mean the same. */
export const SET_ASIDE_ROLES: Readonly<Record<SetAside['status'], StateRole>> = {
  dead: 'dead',
  retry: 'retry',
  parked: 'ready',
}
