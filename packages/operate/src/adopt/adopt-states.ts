import type { TableName } from '@posthorn/engine/internal'
import { addLabelSql, fillNullsSql, replaceCheckSql, type AdoptedColumn } from './adopt.sql.ts'

type State = string | number

/** What the words of a table's states mean. */
export interface AdoptedStates {
  readonly ready: State
  readonly sent: State
  readonly roles: { readonly ready: State; readonly sent: State; readonly dead: State } & Readonly<
    Record<string, State>
  >
  /** What lets the column hold the states that it lacks. */
  sql(table: TableName): string[]
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

/** Reads the words for states from an enum, a check, a default and rows, and gives them roles. */
export function wordsIn(
  column: AdoptedColumn | undefined,
  rules: readonly { readonly kind: string; readonly name: string; readonly definition: string }[],
  sampled: readonly string[],
): AdoptedStates {
  if (!column) return withRoles({ ready: 'pending', sent: 'sent', dead: 'dead' }, [], () => [])
  const { name, labels, type } = column
  const check = rules.find(
    ({ kind, definition }) => kind === 'check' && new RegExp(`\\b${name}\\b`).test(definition),
  )
  const allowed = [...(check?.definition.matchAll(/'((?:[^']|'')*)'/g) ?? [])].map(
    ([, word = '']) => word,
  )
  const [, byDefault] = /^'?([\w-]+)'?/.exec(column.default ?? '') ?? []
  const known = [...new Set([...labels, ...allowed, ...(byDefault ? [byDefault] : []), ...sampled])]
  if (/^(smallint|integer|bigint)$/.test(type)) return withNumbers(column, known)

  const plain = (word: string) => word.replaceAll(/[_ -]/g, '').toLowerCase()
  const used = new Set<string>()
  const find = (role: keyof typeof WORDS): string | undefined => {
    const free = known.filter((word) => !used.has(word))
    const word = WORDS[role]
      .split(' ')
      .flatMap((each) => free.filter((one) => plain(one) === each))[0]
    if (word !== undefined) used.add(word)
    return word
  }
  const styled = (word: string) => {
    const [like = ''] = known
    if (like !== '' && like === like.toUpperCase()) return word.toUpperCase()
    return /^[A-Z]/.test(like) ? `${word[0]?.toUpperCase()}${word.slice(1)}` : word
  }
  const sent = find('sent') ?? styled('sent')
  const ready = find('ready') ?? styled('pending')
  const dead = find('dead') ?? styled('dead')
  const retry = find('retry')
  const cancelled = find('cancelled')
  const roles = { ready, sent, dead, ...(retry && { retry }), ...(cancelled && { cancelled }) }
  const chosen = Object.values(roles)
  const isClosed = labels.length > 0 || allowed.length > 0
  const made = chosen.filter((word) => !known.includes(word))
  const undecided = [
    ...(made.length > 0
      ? [
          `States that the table does not show yet: ${made.join(', ')} ${isClosed ? 'are added' : 'are assumed'}.`,
        ]
      : []),
    ...known
      .filter((word) => !chosen.includes(word))
      .map((word) => `No role fits the state "${word}": rows in it stay as they are.`),
    `Whether the roles are right: ${Object.entries(roles)
      .map(([role, word]) => `${role} is "${word}"`)
      .join(', ')}.`,
  ]
  return withRoles(roles, undecided, (table) => {
    // What the application inserts without a state must be found by a claim.
    const filled = column.nullable ? fillNullsSql(table, name, `'${ready}'`) : []
    if (labels.length > 0) return [...made.map((word) => addLabelSql(type, word)), ...filled]
    if (made.length === 0 || !check) return filled
    const words = [...allowed, ...made]
    return [...replaceCheckSql(table, { name: check.name, column: name, words }), ...filled]
  })
}

/** Numbers say nothing: the least is the first state, as applications count them. */
function withNumbers({ name }: AdoptedColumn, known: readonly string[]): AdoptedStates {
  const least = Math.min(...known.map(Number).filter(Number.isSafeInteger), 0)
  const roles = { ready: least, sent: least + 1, dead: least + 2 }
  const seen = known.length > 0 ? known.join(', ') : 'none yet'
  const question = `What the numbers of "${name}" mean (in use: ${seen}); assumed: ready ${least}, sent ${least + 1}, dead ${least + 2}.`
  return withRoles(roles, [question], () => [])
}

function withRoles(
  roles: AdoptedStates['roles'],
  undecided: readonly string[],
  sql: AdoptedStates['sql'],
): AdoptedStates {
  return { ready: roles.ready, sent: roles.sent, roles, sql, undecided }
}
