import { StateBadge } from '../../parts/state-badge.tsx'
import { REASON_LOOKS, type Reason } from './reason.ts'

/** Why a record is as it is; null before the first run. */
export function ReasonBadge({ reason }: { reason: Reason | null }) {
  if (reason === null) return <StateBadge state="not compared yet" role={undefined} />
  const { word, role } = REASON_LOOKS[reason]
  return <StateBadge state={word} role={role} />
}
