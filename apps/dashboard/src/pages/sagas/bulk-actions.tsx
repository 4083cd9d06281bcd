import { useApi } from '../../api/api-context.tsx'
import { formatCount } from '../../format/number.ts'
import { BulkButton } from '../../parts/bulk-button.tsx'
import { withShortIds } from '../../parts/copy-id.tsx'
import { bodyOf, CHANGED } from './saga-actions.tsx'
import type { SagaItem } from './saga-state.ts'

interface BulkActionsProps {
  readonly chosen: readonly SagaItem[]
  readonly onDone: (left: readonly SagaItem[]) => void
}

/** What is done with the selected sagas. What takes data or a choice for each is on its own page. */
export function BulkActions({ chosen, onDone }: BulkActionsProps) {
  const api = useApi()
  const common = {
    to: 'operate',
    nouns: ['saga', 'sagas'],
    changes: CHANGED,
    nameOf: ({ name, id }: SagaItem) => `${name} ${withShortIds(id)}`,
    onDone,
  } as const
  const params = ({ id }: SagaItem) => ({ path: { id } })
  const stuck = chosen.filter(({ status }) => status === 'FAILED')
  const undoing = stuck.filter(({ direction, step }) => direction === 'back' && step !== null)
  return (
    <>
      <BulkButton
        {...common}
        rows={stuck}
        verb="Resume"
        past="resumed"
        reason="optional"
        run={(row, reason) =>
          api.POST('/api/v1/sagas/{id}/resume', { params: params(row), body: bodyOf(reason) })
        }
      >
        Each continues at its step, starting again at attempt zero. If the cause persists, they get
        stuck again. Selected sagas that are not stuck are left out.
      </BulkButton>
      <BulkButton
        {...common}
        rows={chosen.filter(isCancellable)}
        verb="Cancel"
        past="cancelled, their steps are undone"
        tone="danger"
        reason="optional"
        run={(row, reason) =>
          api.POST('/api/v1/sagas/{id}/cancel', { params: params(row), body: bodyOf(reason) })
        }
      >
        A step in progress ends first. Then all steps are undone, last first: stock is released and
        payments are refunded. Selected sagas that have ended or are being undone are left out.
      </BulkButton>
      <BulkButton
        {...common}
        rows={undoing}
        verb="Skip undoing"
        past="go on without it"
        tone="danger"
        reason="required"
        run={(row, reason = '') =>
          api.POST('/api/v1/sagas/{id}/skip', {
            params: params(row),
            body: { step: row.step ?? '', reason },
          })
        }
      >
        The step that each is stuck at stays as it is, and the steps before it are undone:{' '}
        {stepsOf(undoing)}. Do this if they were undone by hand, or need not be undone. Selected
        sagas that are stuck elsewhere, or not at all, are left out.
      </BulkButton>
    </>
  )
}

/** As the server decides it: also what failed while it ran, even if it was cancelled before. */
function isCancellable({ direction, status, cancelledAt }: SagaItem): boolean {
  return direction === 'forward' && (cancelledAt === null || status === 'FAILED')
}

/** `pay of 7, ship of 2`. */
function stepsOf(sagas: readonly SagaItem[]): string {
  return [...Map.groupBy(sagas, ({ step }) => step)]
    .map(([step, of]) => `${step ?? 'a step'} of ${formatCount(of.length)}`)
    .join(', ')
}
