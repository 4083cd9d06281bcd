import { List, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { formatCount } from '../format/number.ts'

interface OutcomeProps {
  /** How many were done, as a sentence. */
  readonly what: string
  /** What was not, by the name of its row, and why. */
  readonly refused: readonly { readonly name: string; readonly reason: string }[]
}

/** Rows of one reason that are named. */
const MOST_NAMED = 10

/** What became of many rows, for a notification. */
export function outcomeOf(outcome: OutcomeProps): ReactNode {
  return <Outcome {...outcome} />
}

/** Those of one reason stand together. */
function Outcome({ what, refused }: OutcomeProps) {
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
