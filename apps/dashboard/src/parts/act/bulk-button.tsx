import type { Api, Asked } from '../../api/client.tsx'
import { List, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { formatCount } from '../../format/number.ts'
import { ActButton } from './form.tsx'
import { type PermissionName, PermittedButton, sentenceOf } from './action.tsx'

interface BulkButtonProps<Row> {
  readonly to: PermissionName
  /** Those of the selected rows that it can be done with. */
  readonly rows: readonly Row[]
  /** `Cancel`, and what they are then: `cancelled`. */
  readonly verb: string
  readonly past: string
  readonly nouns: readonly [one: string, many: string]
  readonly run: (row: Row, reason: string | undefined) => Asked<unknown>
  /** Subjects that it changed. */
  readonly changes: readonly string[]
  /** What a row is called where it says which were refused. */
  readonly nameOf: (row: Row) => string
  /** `left` are those that were refused. */
  readonly onDone: (left: readonly Row[]) => void
  /** Default: says how many there are. */
  readonly label?: string | undefined
  /** Which ones the button says they are. Default `selected`. */
  readonly which?: 'selected' | 'shown'
  readonly tone?: 'normal' | 'danger'
  readonly reason?: 'none' | 'optional' | 'required'
  /** What it means. */
  readonly children: ReactNode
}

/** Does the same with every selected row, one after the other; disabled while there is none. */
export function BulkButton<Row>(props: BulkButtonProps<Row>) {
  const { to, verb, past, nouns, run, changes, nameOf, onDone, children } = props
  const { which = 'selected', tone, reason } = props
  const rows = props.rows.slice(0, MOST_AT_ONCE)
  const count = formatCount(rows.length)
  if (rows.length === 0) {
    return (
      <PermittedButton to={to} variant="default" disabled>
        {verb} {which}
      </PermittedButton>
    )
  }
  return (
    <ActButton
      to={to}
      label={props.label ?? `${verb} ${count} ${which}`}
      title={`${verb} ${count} ${nouns[rows.length === 1 ? 0 : 1]}?`}
      verb={`${verb} ${count}`}
      dismiss="Back"
      {...{ tone, reason }}
      run={(why) => (api: Api) => runEach(rows, (row) => run(row, why)(api))}
      done={(each) =>
        outcomeOf({
          what: eachText(each, { nouns, past }),
          refused: each.refused.map(({ row, ...why }) => ({ name: nameOf(row), ...why })),
        })
      }
      isGood={({ refused }) => refused.length === 0}
      changes={changes}
      onDone={({ refused }) => onDone(refused.map(({ row }) => row))}
    >
      {children}
    </ActButton>
  )
}

/** What became of many rows. */
interface Each<Row> {
  readonly done: number
  /** The others, each with why it was not, as a sentence. */
  readonly refused: readonly { readonly row: Row; readonly reason: string }[]
}

/** Rows that one click does something with at the most: each costs a request. */
export const MOST_AT_ONCE = 500

/** One after the other: what one row is refused for does not keep the others. */
export async function runEach<Row>(
  rows: readonly Row[],
  run: (row: Row) => Promise<unknown>,
): Promise<Each<Row>> {
  const refused: { row: Row; reason: string }[] = []
  const begun = rows.slice(0, MOST_AT_ONCE)
  for (const row of begun) {
    try {
      await run(row)
    } catch (error) {
      refused.push({ row, reason: sentenceOf(error) })
    }
  }
  const done = begun.length - refused.length
  // Nothing at all: the dialog stays open and says why.
  if (done === 0 && refused.length > 0) {
    throw new Error([...new Set(refused.map(({ reason }) => reason))].join(' · '))
  }
  return { done, refused }
}

/** `7 messages cancelled.`, or also how many were not. */
export function eachText(
  { done, refused }: Each<unknown>,
  words: { readonly nouns: readonly [one: string, many: string]; readonly past: string },
): string {
  const what = `${formatCount(done)} ${words.nouns[done === 1 ? 0 : 1]} ${words.past}`
  return refused.length === 0 ? `${what}.` : `${what}, ${formatCount(refused.length)} not:`
}

interface Outcome {
  /** How many were done, as a sentence. */
  readonly what: string
  /** What was not, by the name of its row, and why. */
  readonly refused: readonly { readonly name: string; readonly reason: string }[]
}

/** Rows of one reason that are named. */
const MOST_NAMED = 10

/** What became of many rows, for a notification; rows of one reason stand together. */
export function outcomeOf({ what, refused }: Outcome): ReactNode {
  const reasons = Map.groupBy(refused, ({ reason }) => reason)
  return (
    <>
      <Text size="sm">{what}</Text>
      {refused.length > 0 && (
        <List size="sm" mah="40vh" style={{ overflow: 'auto' }}>
          {[...reasons].map(([reason, of]) => (
            <List.Item key={reason}>
              {reason}: {namesOf(of.map(({ name }) => name))}
            </List.Item>
          ))}
        </List>
      )}
    </>
  )
}

function namesOf(names: readonly string[]): string {
  const more = names.length - MOST_NAMED
  const named = names.slice(0, MOST_NAMED).join(', ')
  return more > 0 ? `${named} and ${formatCount(more)} more` : named
}
