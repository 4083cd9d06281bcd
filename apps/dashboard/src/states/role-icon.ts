import {
  IconBan,
  IconCheck,
  IconChecks,
  IconClock,
  IconPlayerPlay,
  IconRefreshAlert,
  IconRefresh,
  IconSkull,
  type Icon,
} from '@tabler/icons-react'
import type { StateRole } from './role.ts'

/** Beside the colour and the word, the third thing that tells states apart. */
export const ROLE_ICONS: Readonly<Record<StateRole, Icon>> = {
  ready: IconClock,
  claimed: IconPlayerPlay,
  sent: IconCheck,
  confirmed: IconChecks,
  retry: IconRefresh,
  failing: IconRefreshAlert,
  dead: IconSkull,
  cancelled: IconBan,
}
