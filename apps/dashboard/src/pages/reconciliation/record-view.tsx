import { Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { QueryState } from '../../parts/query-state.tsx'
import { Timeline } from '../../parts/timeline.tsx'
import { Decisions } from './decisions.tsx'
import { REASON_LOOKS } from './reason.ts'
import { ReasonBadge } from './reason-badge.tsx'
import type { RecordDetails } from './run.ts'
import { Sides } from './sides.tsx'
import { Suggestions } from './suggestions.tsx'

interface RecordViewProps {
  readonly runId: string
  /** Its line number. */
  readonly recordId: string
}

/** One record: both sides, why it is as it is, and what can be decided. */
export function RecordView({ runId, recordId }: RecordViewProps) {
  const api = useApi()
  const query = useQuery({
    queryKey: ['reconciliation', runId, 'record', recordId],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/v1/reconciliations/{id}/records/{recordId}', {
          params: { path: { id: runId, recordId } },
          signal,
        }),
      ),
  })
  return (
    <QueryState query={query}>
      {(record) => (
        <Stack gap="md">
          <Text size="sm" component="div">
            <ReasonBadge reason={record.reason} />{' '}
            {record.reason === null
              ? 'Run the file to have it compared.'
              : REASON_LOOKS[record.reason].note}
          </Text>
          <Sides record={record} />
          {record.reason !== null && <Decisions runId={runId} record={record} />}
          {record.status === 'unmatched' && <Suggestions runId={runId} record={record} />}
          <History record={record} />
        </Stack>
      )}
    </QueryState>
  )
}

function History({ record: { history } }: { record: RecordDetails }) {
  if (history.length === 0) return null
  return (
    <section>
      <Title order={3} mb={6}>
        History
      </Title>
      <Timeline
        entries={history.map(({ runNo, reason, note, actor, createdAt }, index) => ({
          id: `${index}`,
          at: createdAt,
          role: REASON_LOOKS[reason].role,
          what: `${REASON_LOOKS[reason].word}, ${actor === null ? `run ${runNo}` : `by ${actor}`}`,
          ...(note !== null && { details: note }),
        }))}
      />
    </section>
  )
}
