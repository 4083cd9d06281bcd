import { Group, List, Stack, Text } from '@mantine/core'
import {
  ActButton,
  AnchorLink,
  because,
  BulkButton,
  type Column,
  column,
  CopyId,
  dataOf,
  Empty,
  field,
  FilteredTable,
  formatCount,
  formatMoney,
  type ItemOf,
  Json,
  KeyValue,
  PageFrame,
  post,
  StateBadge,
  type StateRole,
  Time,
  timeFact,
  useApi,
  useClaims,
  useFilteredList,
  useFresh,
  useSelection,
  said,
} from '@posthorn/dashboard/kit'
import type { ReactNode } from 'react'

type Proposal = ItemOf<'/api/v1/approvals'>

const STATES = ['pending', 'approved', 'rejected', 'withdrawn', 'expired'] as const

const ROLES: Readonly<Record<Proposal['status'], StateRole>> = {
  pending: 'ready',
  approved: 'confirmed',
  rejected: 'dead',
  withdrawn: 'cancelled',
  expired: 'cancelled',
}

const KINDS: Readonly<Record<Proposal['kind'], string>> = {
  refund: 'Refund',
  capture: 'Capture',
  void: 'Void',
  decision: 'Decision about a line',
  discard: 'Discard a file',
  limits: 'Change the limits',
}

function amountOf({ amount, currency }: Proposal): string {
  return amount === null || currency === null ? '–' : formatMoney(amount, currency)
}

/** What an action on a proposal changes on other pages. */
const CHANGED = ['approvals', 'payments', 'reconciliation'] as const

const COLUMNS: readonly Column<Proposal>[] = [
  column.state('status', 'State', { roles: ROLES, width: '130px' }),
  { id: 'kind', title: 'Action', width: 'minmax(0, 2fr)', cell: ({ kind }) => KINDS[kind] },
  { id: 'amount', title: 'Amount', cell: amountOf },
  column.text('proposedBy', 'Proposed by', { id: 'by' }),
  column.text('decidedBy', 'Decided by', { id: 'decided', none: '–' }),
  column.time('proposedAt', 'Proposed', { id: 'at', clock: 'business', width: '132px' }),
]

const FILTER = { status: field.choice('State', STATES) }

export function Approvals() {
  const api = useApi()
  const selection = useSelection()
  const page = useFilteredList({
    queryKey: ['approvals', 'list'],
    fields: FILTER,
    columns: COLUMNS,
    name: 'approvals',
    sorts: { at: 'proposedAt' },
    read: (query, signal) => dataOf(api.GET('/api/v1/approvals', { params: { query }, signal })),
  })
  useFresh(['approvals'], said('approvals'))
  return (
    <PageFrame title="Approvals" lead="Above an amount, one user proposes and another approves.">
      <FilteredTable
        {...page}
        label="Approvals"
        selection={selection}
        empty={
          <Empty title="No proposals">
            A refund, a capture or a decision above the limit appears here until another user
            decides.
          </Empty>
        }
        drawer="Proposal"
        renderDetails={(_, shown) => shown && <ProposalDetails proposal={shown} />}
      >
        {selection.ids.size > 0 && (
          <BulkActions
            chosen={page.list.rows.filter(({ id }) => selection.has(id))}
            onDone={(left) => selection.replace(left.map(({ id }) => id))}
          />
        )}
      </FilteredTable>
    </PageFrame>
  )
}

function ProposalDetails({ proposal }: { proposal: Proposal }) {
  const place = placeOf(proposal)
  return (
    <Stack gap="sm">
      <KeyValue
        facts={{
          Action: KINDS[proposal.kind],
          Amount: amountOf(proposal),
          About: <CopyId id={proposal.subject} />,
          State: <StateBadge state={proposal.status} role={ROLES[proposal.status]} />,
          'Proposed by': proposal.proposedBy,
          Proposed: <Time at={proposal.proposedAt} clock="business" />,
          Reason: proposal.reason ?? undefined,
          Expires:
            proposal.status === 'pending' ? (
              <Time at={proposal.expiresAt} clock="business" ahead />
            ) : undefined,
          'Decided by': proposal.decidedBy ?? undefined,
          Decided: timeFact(proposal.decidedAt, { clock: 'business' }),
          'Decision reason': proposal.decisionReason ?? undefined,
        }}
      />
      <Json value={proposal.request} label="request" />
      {place !== undefined && <AnchorLink to={place}>Open</AnchorLink>}
      {proposal.status === 'pending' && <Actions proposal={proposal} />}
    </Stack>
  )
}

/** The page of a proposal's subject. */
function placeOf({ kind, subject }: Proposal): string | undefined {
  if (kind === 'refund' || kind === 'capture' || kind === 'void') {
    return `/payments?open=${encodeURIComponent(subject)}`
  }
  return kind === 'limits' ? undefined : `/reconciliation/${subject.split('/')[0] ?? ''}`
}

function Actions({ proposal: { id, proposedBy } }: { proposal: Proposal }) {
  const { sub } = useClaims()
  const path = { id }
  if (proposedBy === sub) {
    return (
      <Stack gap="xs">
        <Text size="sm" c="dimmed">
          You proposed it: another user has to decide.
        </Text>
        <Group>
          <ActButton
            label="Withdraw"
            run={() => post('/api/v1/approvals/{id}/withdraw', { path, body: {} })}
            done={() => 'Withdrawn.'}
            changes={CHANGED}
          />
        </Group>
      </Stack>
    )
  }
  return (
    <Group>
      <ActButton
        to="approve"
        label="Approve"
        button={{ variant: 'filled' }}
        run={() => post('/api/v1/approvals/{id}/approve', { path, body: {} })}
        done={() => 'Approved.'}
        changes={CHANGED}
      />
      <ActButton
        to="approve"
        label="Reject"
        title="Reject the proposal?"
        reason="required"
        run={(reason = '') => post('/api/v1/approvals/{id}/reject', { path, body: { reason } })}
        done={() => 'Rejected.'}
        changes={CHANGED}
      >
        Nothing is done. It can be proposed again.
      </ActButton>
    </Group>
  )
}

interface BulkActionsProps {
  readonly chosen: readonly Proposal[]
  readonly onDone: (left: readonly Proposal[]) => void
}

const NOUNS = ['proposal', 'proposals'] as const

/** Proposals that the dialog names. */
const MOST_SHOWN = 20

/** The server refuses proposals by the same user. */
function BulkActions({ chosen, onDone }: BulkActionsProps) {
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
          post('/api/v1/approvals/{id}/approve', { ...params(row), body: because(reason) })
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
          post('/api/v1/approvals/{id}/reject', { ...params(row), body: { reason } })
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
