import type { AdoptedColumn } from './adopt.sql.ts'

export const WHOLE = /^(smallint|integer|bigint)$/

type State = string | number

/** What the words of a table's states mean. */
export interface AdoptedStates {
  readonly roles: { readonly ready: State; readonly sent: State; readonly dead: State } & Readonly<
    Record<string, State>
  >
  readonly undecided: readonly string[]
}

/** Words for a role, without case and underscores; the likeliest first. */
const WORDS = {
  sent: 'sent succeeded success completed complete processed delivered done published dispatched',
  ready:
    'pending ready new created waiting queued scheduled unsent unpublished unprocessed published',
  dead: 'dead deadletter deadlettered exhausted failed error',
  retry: 'retry retrying retrypending failed delayed',
  cancelled: 'cancelled canceled',
} as const

/** Gives roles to the words that a column allows, or has by default or in its rows. */
export function findStates(
  column: AdoptedColumn | undefined,
  sampled: readonly string[],
): AdoptedStates {
  if (!column) return { roles: { ready: 'pending', sent: 'sent', dead: 'dead' }, undecided: [] }
  const known = [...new Set([...column.words, ...sampled])]
  if (WHOLE.test(column.type)) {
    // Numbers say nothing: the least is the first state, as applications count them.
    const ready = Math.min(...known.map(Number).filter(Number.isSafeInteger), 0)
    const question = `What the numbers of "${column.name}" mean (in use: ${known.join(', ')}); assumed: ready ${ready}, sent ${ready + 1}, dead ${ready + 2}.`
    return { roles: { ready, sent: ready + 1, dead: ready + 2 }, undecided: [question] }
  }
  const free = new Set(known)
  const find = (role: keyof typeof WORDS): string | undefined => {
    const plain = (word: string) => word.replaceAll(/[_ -]/g, '').toLowerCase()
    const fitting = (each: string) => [...free].filter((word) => plain(word) === each)
    const [word] = WORDS[role].split(' ').flatMap(fitting)
    if (word !== undefined) free.delete(word)
    return word
  }
  const [like = ''] = known
  const styled = (word: string) => {
    if (like !== '' && like === like.toUpperCase()) return word.toUpperCase()
    return /^[A-Z]/.test(like) ? `${word[0]?.toUpperCase()}${word.slice(1)}` : word
  }
  const sent = find('sent') ?? styled('sent')
  const ready = find('ready') ?? styled('pending')
  const dead = find('dead') ?? styled('dead')
  const retry = find('retry')
  const cancelled = find('cancelled')
  const roles = { ready, sent, dead, ...(retry && { retry }), ...(cancelled && { cancelled }) }
  const undecided = [...free].map(
    (word) => `No role fits the state "${word}": rows in it stay as they are.`,
  )
  const made = Object.values(roles).filter((word) => !known.includes(word))
  if (made.length > 0) {
    const then = column.closed ? 'its enum or check must allow them first' : 'they are assumed'
    undecided.unshift(`States that the table does not show yet: ${made.join(', ')}; ${then}.`)
  }
  const meanings = Object.entries(roles).map(([role, word]) => `${role} is "${word}"`)
  return {
    roles,
    undecided: [...undecided, `Whether the roles are right: ${meanings.join(', ')}.`],
  }
}
