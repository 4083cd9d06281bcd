import { Group } from '@mantine/core'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { useAction } from '../../parts/use-action.ts'
import { MatchButton } from './match-button.tsx'
import type { RecordDetails } from './run.ts'

interface DecisionsProps {
  readonly runId: string
  readonly record: RecordDetails
}

const KINDS = {
  unmatch: {
    label: 'Unmatch',
    done: 'unmatched',
    means: 'Its payments become available, and runs skip it until it is reopened.',
  },
  ignore: {
    label: 'Ignore',
    done: 'ignored',
    means: 'It is no longer an exception and runs skip it. It can be reopened.',
  },
  reopen: {
    label: 'Reopen',
    done: 'reopened',
    means: 'The next run includes it again.',
  },
} as const

type Kind = keyof typeof KINDS

/** What may be decided about a record as it is now. */
function kindsFor({ status, decidedBy }: RecordDetails): readonly Kind[] {
  if (status === 'matched') return ['unmatch']
  if (decidedBy === 'ignored') return ['reopen']
  return decidedBy === null ? ['ignore'] : ['ignore', 'reopen']
}

/** What a person can say about a record; each with a reason that is kept. */
export function Decisions({ runId, record }: DecisionsProps) {
  return (
    <Group gap="xs">
      {record.status === 'unmatched' && <MatchButton runId={runId} record={record} />}
      {kindsFor(record).map((kind) => (
        <Decision key={kind} kind={kind} runId={runId} record={record} />
      ))}
    </Group>
  )
}

function Decision({ kind, runId, record }: DecisionsProps & { readonly kind: Kind }) {
  const api = useApi()
  const { label, done, means } = KINDS[kind]
  const decide = useAction({
    run: (reason: string) => {
      const params = { path: { id: runId, recordId: record.id } }
      const body = { reason, version: record.version }
      const path = '/api/v1/reconciliations/{id}/records/{recordId}' as const
      if (kind === 'unmatch') return dataOf(api.POST(`${path}/unmatch`, { params, body }))
      if (kind === 'ignore') return dataOf(api.POST(`${path}/ignore`, { params, body }))
      return dataOf(api.POST(`${path}/reopen`, { params, body }))
    },
    done: () => `Line ${record.lineNumber} is ${done}.`,
    changes: ['reconciliation'],
  })
  return (
    <ConfirmButton
      label={label}
      title={`${label} line ${record.lineNumber}?`}
      verb={label}
      reason="required"
      onConfirm={(reason) => decide.mutateAsync(reason ?? '')}
    >
      {means}
    </ConfirmButton>
  )
}
