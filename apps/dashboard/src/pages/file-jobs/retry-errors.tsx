import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { formatCount } from '../../format/number.ts'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { useAction } from '../../parts/use-action.ts'

interface RetryErrorsProps {
  readonly id: string
  readonly errors: number
}

/** Sends the errors of a file again. */
export function RetryErrors({ id, errors }: RetryErrorsProps) {
  const api = useApi()
  const retry = useAction({
    run: () =>
      dataOf(api.POST('/api/v1/file-jobs/{id}/retry-errors', { params: { path: { id } } })),
    done: ({ requeued }) =>
      requeued === 0
        ? 'No row was tried again: each of them was bad from the start.'
        : `${rowsOf(requeued)} ${requeued === 1 ? 'is' : 'are'} tried again.`,
    changes: ['file-jobs'],
  })
  return (
    <ConfirmButton
      label={`Try ${formatCount(errors)} ${errors === 1 ? 'error' : 'errors'} again`}
      title={`Try up to ${rowsOf(errors)} again?`}
      verb={`Try up to ${formatCount(errors)} again`}
      onConfirm={() => retry.mutateAsync(undefined)}
    >
      Each is sent to the document service anew, with all its attempts. Rows that were bad from the
      start (INVALID_ROW, INVALID_FILE) are left out: only a corrected upload helps them.
    </ConfirmButton>
  )
}

function rowsOf(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'row' : 'rows'}`
}
