import { Code, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { Json } from '../../parts/json.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import { Timeline } from '../../parts/timeline.tsx'
import { adviceForRow } from './advice.ts'
import { Artifacts } from './artifacts.tsx'
import { ROW_ROLES, ROW_STATES, type RowDetails as Details } from './job.ts'
import { RowFacts } from './row-facts.tsx'

interface RowDetailsProps {
  readonly jobId: string
  readonly rowId: string
}

/** One row: where it is and why, its files, and its way so far. */
export function RowDetails({ jobId, rowId }: RowDetailsProps) {
  const api = useApi()
  const query = useQuery({
    queryKey: ['file-jobs', jobId, 'row', rowId],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/v1/file-jobs/{id}/rows/{rowId}', {
          params: { path: { id: jobId, rowId } },
          signal,
        }),
      ),
  })
  return (
    <QueryState query={query}>
      {(row) => (
        <Stack gap="md">
          <RowFacts row={row} />
          <RowError row={row} />
          <section>
            <Title order={3} mb={6}>
              Files
            </Title>
            <Artifacts artifacts={row.artifacts} />
          </section>
          <section>
            <Title order={3} mb={6}>
              Timeline
            </Title>
            <Timeline entries={row.audit.map(entryOf)} />
          </section>
          {Object.keys(row.metadata).length > 0 && (
            <section>
              <Title order={3} mb={6}>
                Other columns
              </Title>
              <Json value={row.metadata} label="other columns" />
            </section>
          )}
        </Stack>
      )}
    </QueryState>
  )
}

function RowError({ row: { errorCode, errorMessage } }: { row: Details }) {
  if (errorCode === null) return null
  return (
    <Text size="sm" component="div" style={{ overflowWrap: 'anywhere' }}>
      <Code>{errorCode}</Code> {errorMessage} <strong>{adviceForRow(errorCode)}</strong>
    </Text>
  )
}

const WHO: Readonly<Record<string, string>> = {
  FILE_PROCESSOR: 'the file processor',
  PUBLISHER: 'the publisher',
  EVIDENCE_WORKER: 'the evidence worker',
  OPERATOR: 'an operator',
}

function entryOf(audit: Details['audit'][number], index: number) {
  const { oldStatus, newStatus, retryCount, errorCode, transitionedBy, createdAt } = audit
  const state = ROW_STATES.find((each) => each === newStatus)
  const retry = retryCount > 0 ? `, retry ${retryCount}` : ''
  return {
    id: `${index}`,
    at: createdAt,
    role: state && ROW_ROLES[state],
    what: `${oldStatus ?? 'new'} → ${newStatus}`,
    details: `by ${WHO[transitionedBy] ?? transitionedBy}${retry}${errorCode === null ? '' : `: ${errorCode}`}`,
  }
}
