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

/** Beside the colour and the word, the third thing that tells states apart. */
export const ROLE_ICONS: Readonly<Record<StateRole, Icon>> = {
  ready: IconCircleDashed,
  claimed: IconProgress,
  sent: IconCheck,
  confirmed: IconChecks,
  retry: IconRefresh,
  failing: IconAlertCircle,
  dead: IconCircleX,
  cancelled: IconCircleMinus,
}

/** What a state means to the engine, independent of the table's word for it. */
export type StateRole =
  'ready' | 'claimed' | 'sent' | 'confirmed' | 'retry' | 'failing' | 'dead' | 'cancelled'

export interface RoleLook {
  /** One of the theme's colours, the same wherever this role is shown. */
  readonly color: 'gray' | 'blue' | 'teal' | 'green' | 'orange' | 'red'
  /** Beside the colour, never instead of it. */
  readonly word: string
}

/** The one place that says how states look. */
export const ROLE_LOOKS: Readonly<Record<StateRole, RoleLook>> = {
  ready: { color: 'blue', word: 'waiting' },
  claimed: { color: 'blue', word: 'in flight' },
  sent: { color: 'teal', word: 'sent' },
  confirmed: { color: 'green', word: 'confirmed' },
  retry: { color: 'orange', word: 'retrying' },
  failing: { color: 'orange', word: 'failed' },
  dead: { color: 'red', word: 'dead' },
  cancelled: { color: 'gray', word: 'cancelled' },
}

export type StateNames = Readonly<Partial<Record<StateRole, string | number>>>

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

/** The role of a state in a table that uses these names; undefined for a word that is none of them. */
export function roleOf(state: string, names: StateNames): StateRole | undefined {
  return BY_WEIGHT.find((role) => names[role] !== undefined && String(names[role]) === state)
}
