import { useApi } from '../../api/api-context.tsx'
import { type ListedOutbox, roleIn } from '../../outboxes/use-outboxes.ts'
import { BulkButton } from '../../parts/bulk-button.tsx'
import { withShortIds } from '../../parts/copy-id.tsx'
import type { MessageRow } from './message.ts'

interface BulkActionsProps {
  readonly chosen: readonly MessageRow[]
  readonly outboxes: readonly ListedOutbox[]
  readonly onDone: () => void
}

const CHANGED = ['messages', 'dead-letters', 'outboxes', 'overview']
const NOUNS = ['message', 'messages'] as const

/** What is done with the selected messages, of any outboxes. */
export function BulkActions({ chosen, outboxes, onDone }: BulkActionsProps) {
  const api = useApi()
  const common = {
    to: 'operate',
    nouns: NOUNS,
    changes: CHANGED,
    nameOf: ({ label, id }: MessageRow) => label ?? withShortIds(id),
    onDone,
    reason: 'optional',
  } as const
  const isDead = (row: MessageRow) => row.quarantinedAt !== null || roleIn(outboxes, row) === 'dead'
  const isWaiting = (row: MessageRow) =>
    ['ready', 'retry', 'failing'].includes(roleIn(outboxes, row) ?? '')
  const canEnd = ({ outbox }: MessageRow) =>
    outboxes.some(({ name, roles }) => name === outbox && roles.cancelled !== null)
  const given = ({ outbox: name, id }: MessageRow, reason: string | undefined) => ({
    params: { path: { name, id } },
    body: reason === undefined ? {} : { reason },
  })
  return (
    <>
      <BulkButton
        {...common}
        rows={chosen.filter(isDead)}
        verb="Replay"
        past="replayed"
        run={(row, reason) =>
          api.POST('/api/v1/outboxes/{name}/messages/{id}/replay', given(row, reason))
        }
      >
        They keep their ids, so consumers can recognise them, and start again at attempt zero.
        Selected messages that are not dead are left out.
      </BulkButton>
      <BulkButton
        {...common}
        rows={chosen.filter((row) => canEnd(row) && (isDead(row) || isWaiting(row)))}
        verb="Cancel"
        past="cancelled"
        tone="danger"
        run={(row, reason) =>
          api.POST('/api/v1/outboxes/{name}/messages/{id}/cancel', given(row, reason))
        }
      >
        They will not be sent; messages waiting behind them continue. Selected messages that are
        sent, or whose outbox does not cancel, are left out.
      </BulkButton>
    </>
  )
}
