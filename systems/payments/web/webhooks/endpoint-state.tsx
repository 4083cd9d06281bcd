import { StateBadge, type StateBadgeProps } from '@posthorn/dashboard/kit'
import type { Endpoint, Health } from './webhook.ts'

interface EndpointStateProps {
  readonly endpoint: Endpoint
  readonly health: Health | undefined
}

/** Below this, most of what is attempted fails. */
const MOSTLY_FAILS = 0.5

/** Whether an endpoint gets its events, in one or two words. */
export function EndpointState(props: EndpointStateProps) {
  return <StateBadge {...lookOf(props)} />
}

function lookOf({ endpoint, health }: EndpointStateProps): StateBadgeProps {
  if (endpoint.status === 'disabled') return { state: 'disabled', role: 'cancelled' }
  if (health?.breakerOpen === true) return { state: 'paused', role: 'dead' }
  const rate = health?.successRate ?? null
  if (rate !== null && rate < MOSTLY_FAILS) return { state: 'failing', role: 'dead' }
  const isSomeFailing = health !== undefined && health.failing + health.abandoned > 0
  if (isSomeFailing) return { state: 'some failures', role: 'retry' }
  return { state: 'enabled', role: 'confirmed' }
}
