import { List } from '@mantine/core'
import type { ReactNode } from 'react'
import { useApi } from '../../api/api-context.tsx'
import { formatCount } from '../../format/number.ts'
import { BulkButton } from '../../parts/bulk-button.tsx'
import { amountOf, CHANGED, KINDS, type Proposal } from './proposal.ts'

interface BulkActionsProps {
  readonly chosen: readonly Proposal[]
  readonly onDone: (left: readonly Proposal[]) => void
}

const NOUNS = ['proposal', 'proposals'] as const

/** Who decides sees what about, so much of it. */
const MOST_SHOWN = 20

/** Decides about the selected proposals; the server refuses those that the user made. */
export function BulkActions({ chosen, onDone }: BulkActionsProps) {
  const api = useApi()
  const rows = chosen.filter(({ status }) => status === 'pending')
  const common = { to: 'approve', rows, nouns: NOUNS, changes: CHANGED, nameOf, onDone } as const
  const params = ({ id }: Proposal) => ({ path: { id } })
  return (
    <>
      <BulkButton
        {...common}
        verb="Approve"
        past="approved"
        reason="optional"
        run={(row, reason) =>
          api.POST('/api/v1/approvals/{id}/approve', {
            params: params(row),
            body: reason === undefined ? {} : { reason },
          })
        }
      >
        <About proposals={rows}>Each is carried out at once.</About>
      </BulkButton>
      <BulkButton
        {...common}
        verb="Reject"
        past="rejected"
        reason="required"
        run={(row, reason = '') =>
          api.POST('/api/v1/approvals/{id}/reject', { params: params(row), body: { reason } })
        }
      >
        <About proposals={rows}>Nothing is done. Each can be proposed again.</About>
      </BulkButton>
    </>
  )
}

function About({ proposals, children }: { proposals: readonly Proposal[]; children: ReactNode }) {
  const more = proposals.length - MOST_SHOWN
  return (
    <>
      {children} What you proposed yourself is left for another user.
      <List size="sm" mt="xs">
        {proposals.slice(0, MOST_SHOWN).map((proposal) => (
          <List.Item key={proposal.id}>{nameOf(proposal)}</List.Item>
        ))}
        {more > 0 && <List.Item>and {formatCount(more)} more</List.Item>}
      </List>
    </>
  )
}

function nameOf(proposal: Proposal): string {
  const { kind, amount, proposedBy } = proposal
  return `${KINDS[kind]}${amount === null ? '' : ` of ${amountOf(proposal)}`} by ${proposedBy}`
}
