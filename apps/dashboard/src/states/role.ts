import {
  type Icon,
  IconAlertCircle,
  IconCheck,
  IconChecks,
  IconCircleDashed,
  IconCircleMinus,
  IconCircleX,
  IconProgress,
  IconRefresh,
} from '@tabler/icons-react'

/** What a state means to the engine, independent of the table's word for it. */
export type StateRole =
  'ready' | 'claimed' | 'sent' | 'confirmed' | 'retry' | 'failing' | 'dead' | 'cancelled'

export interface RoleLook {
  /** One of the theme's colours, the same wherever this role is shown. */
  readonly color: 'gray' | 'blue' | 'teal' | 'green' | 'orange' | 'red'
  /** A word and an icon tell states apart without their colour. */
  readonly word: string
  readonly icon: Icon
}

/** The one place that says how states look. */
export const ROLE_LOOKS: Readonly<Record<StateRole, RoleLook>> = {
  ready: { color: 'blue', word: 'waiting', icon: IconCircleDashed },
  claimed: { color: 'blue', word: 'in flight', icon: IconProgress },
  sent: { color: 'teal', word: 'sent', icon: IconCheck },
  confirmed: { color: 'green', word: 'confirmed', icon: IconChecks },
  retry: { color: 'orange', word: 'retrying', icon: IconRefresh },
  failing: { color: 'orange', word: 'failed', icon: IconAlertCircle },
  dead: { color: 'red', word: 'dead', icon: IconCircleX },
  cancelled: { color: 'gray', word: 'cancelled', icon: IconCircleMinus },
}

/** Two roles may share a word: the one that is named first here says how it looks. */
const BY_WEIGHT: readonly StateRole[] = [
  'dead',
  'cancelled',
  'confirmed',
  'sent',
  'ready',
  'claimed',
  'retry',
  'failing',
]

/** The role of a state in a table that has these words for roles; undefined for another word. */
export function roleOf(
  state: string,
  words: Readonly<Partial<Record<StateRole, string | number | null>>>,
): StateRole | undefined {
  return BY_WEIGHT.find((role) => words[role] != null && String(words[role]) === state)
}
