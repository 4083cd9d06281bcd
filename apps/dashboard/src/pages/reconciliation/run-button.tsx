import type { UseMutationResult } from '@tanstack/react-query'
import { formatCount } from '../../format/number.ts'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import type { Run } from './run.ts'

interface RunButtonProps {
  readonly run: Run
  readonly matching: UseMutationResult
}

/** Starts a run; the dialog closes at once, the page shows how far it is. */
export function RunButton({ run: { runNo, unmatched }, matching }: RunButtonProps) {
  const records = `${formatCount(unmatched)} ${unmatched === 1 ? 'record' : 'records'}`
  return (
    <ConfirmButton
      label={runNo === 0 ? 'Run' : 'Run again'}
      title={`Match ${records}?`}
      verb={`Match ${formatCount(unmatched)}`}
      button={{ variant: 'filled', loading: matching.isPending }}
      onConfirm={async () => matching.mutate(undefined)}
    >
      They are compared with all available payments. Existing matches and decisions stay, and every
      match can be undone.
    </ConfirmButton>
  )
}
