import { useApi } from '../../api/api-context.tsx'
import { BulkButton } from '../../parts/bulk-button.tsx'
import type { OutboundMessage } from './outbound-message.ts'

interface BulkActionsProps {
  readonly chosen: readonly OutboundMessage[]
  readonly onDone: () => void
}

const NOUNS = ['message', 'messages'] as const

/** What is done with the selected messages. */
export function BulkActions({ chosen, onDone }: BulkActionsProps) {
  const api = useApi()
  const nameOf = ({ to }: OutboundMessage) => to
  const common = { to: 'write', nouns: NOUNS, changes: ['outbound'], nameOf, onDone } as const
  const given = ({ id }: OutboundMessage) => ({ params: { path: { id } } })
  return (
    <>
      <BulkButton
        {...common}
        rows={chosen.filter(({ status }) => status === 'FAILED')}
        verb="Retry"
        past="queued again"
        run={(row) => api.POST('/api/v1/outbound/messages/{id}/retry', given(row))}
      >
        Selected messages that have not failed are left out. One that fails for the same reason
        fails again: mend the cause first.
      </BulkButton>
      <BulkButton
        {...common}
        rows={chosen.filter(({ status }) => status === 'QUEUED')}
        verb="Cancel"
        past="cancelled"
        tone="danger"
        run={(row) => api.POST('/api/v1/outbound/messages/{id}/cancel', given(row))}
      >
        They will not be received. Selected messages that are already sent are left out.
      </BulkButton>
    </>
  )
}
