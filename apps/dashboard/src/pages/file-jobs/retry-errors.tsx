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
        ? 'No rows to retry: all of them were invalid in the upload.'
        : `Retrying ${rowsOf(requeued)}.`,
    changes: ['file-jobs'],
  })
  return (
    <ConfirmButton
      label={`Retry ${formatCount(errors)} ${errors === 1 ? 'error' : 'errors'}`}
      title={`Retry up to ${rowsOf(errors)}?`}
      verb={`Retry up to ${formatCount(errors)}`}
      onConfirm={() => retry.mutateAsync(undefined)}
    >
      Each row is sent to the document service again with all its attempts. Rows that were invalid
      in the upload (INVALID_ROW, INVALID_FILE) are left out: correct and upload them.
    </ConfirmButton>
  )
}

function rowsOf(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'row' : 'rows'}`
}
