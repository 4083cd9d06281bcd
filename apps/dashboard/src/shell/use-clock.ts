import { useRead } from '../api/api-context.tsx'
import { useSettings } from '../settings/settings.tsx'

/** Another user may have moved it. */
const LOOK_AGAIN_MS = 30_000

/** How far the business clock is before the one on the wall; without simulators it never is. */
export function useClock(): { aheadMs: number } {
  const { has } = useSettings()
  const { data } = useRead('/sim/clock', ['clock'], {
    enabled: has.includes('simulators'),
    refetchInterval: LOOK_AGAIN_MS,
  })
  return { aheadMs: (data as { aheadMs?: number } | undefined)?.aheadMs ?? 0 }
}
