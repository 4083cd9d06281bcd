import { Grid, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { CodeNote } from '../../codes/code-note.tsx'
import { Interventions } from './interventions.tsx'
import { SagaActions } from './saga-actions.tsx'
import { SagaEvents } from './saga-events.tsx'
import { SAGA_ROLES, type SagaDetails, standingOf } from './saga-state.ts'
import { SagaSteps } from './saga-steps.tsx'
import { SagaTimes } from './saga-times.tsx'
import { useSagaChanges } from './use-saga-changes.ts'
import { CopyId } from '../../parts/copy-id.tsx'
import { Json } from '../../parts/json.tsx'
import { KeyValue } from '../../parts/key-value.tsx'
import { PageFrame } from '../../parts/page-frame.tsx'
import { Panel } from '../../parts/panel.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import { Related } from '../../parts/related.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { Time } from '../../parts/time.tsx'

/** One saga: its steps, what it sent and heard, what was undone, and the wheel to steer it. */
export function Saga() {
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const api = useApi()
  const query = useQuery({
    queryKey: ['sagas', 'one', id],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/sagas/{id}', { params: { path: { id } }, signal })),
  })
  useSagaChanges(query.data === undefined ? [] : [query.data])
  return (
    <QueryState query={query}>
      {(saga) => (
        <PageFrame
          title={`Saga ${saga.name}`}
          lead={
            <>
              <StateBadge state={saga.status} role={SAGA_ROLES[saga.status]} /> {standingOf(saga)}
            </>
          }
          actions={<SagaActions saga={saga} />}
        >
          <Panel title="Steps">
            <SagaSteps saga={saga} />
          </Panel>
          {saga.error !== null && <Why title={WHY[saga.status] ?? 'Error'} error={saga.error} />}
          {saga.held !== null && <Why title="Why it waits" error={saga.held} />}
          {isStuck(saga) && <Interventions saga={saga} />}
          <SagaTimes saga={saga} />
          <Grid gap="md">
            <Grid.Col span={{ base: 12, lg: 7 }}>
              <SagaEvents saga={saga} />
            </Grid.Col>
            <Grid.Col span={{ base: 12, lg: 5 }}>
              <Panel title="Details">
                <Facts saga={saga} />
              </Panel>
            </Grid.Col>
          </Grid>
          <Related id={saga.id} except={['saga', 'order']} />
          {!isStuck(saga) && <Interventions saga={saga} />}
        </PageFrame>
      )}
    </QueryState>
  )
}

/** Then what can be done about it comes first. */
function isStuck({ status, held }: SagaDetails): boolean {
  return status === 'FAILED' || held !== null
}

const WHY: Readonly<Partial<Record<SagaDetails['status'], string>>> = {
  COMPENSATING: 'Why it is undone',
  COMPENSATED: 'Why it is undone',
  FAILED: 'Why it is stuck',
  TERMINATED: 'Why it ended',
}

function Why({ title, error }: { title: string; error: NonNullable<SagaDetails['error']> }) {
  return (
    <Panel title={title}>
      <CodeNote code={error.code} section="What an order says" />
      <Text size="sm" c="dimmed">
        Error text: {error.message}
      </Text>
    </Panel>
  )
}

function Facts({ saga }: { saga: SagaDetails }) {
  return (
    <Stack gap="sm">
      <KeyValue
        facts={{
          Id: <CopyId id={saga.id} />,
          Version: String(saga.version),
          Started: <Time at={saga.createdAt} />,
          [saga.waitsFor.length > 0 ? 'Waits until' : 'Next attempt']:
            saga.dueAt === null ? undefined : <Time at={saga.dueAt} clock="business" ahead />,
          'Must end by':
            saga.deadlineAt === null ? undefined : (
              <Time at={saga.deadlineAt} clock="business" ahead />
            ),
          Cancelled: saga.cancelledAt === null ? undefined : <Time at={saga.cancelledAt} />,
          Ended: saga.finishedAt === null ? undefined : <Time at={saga.finishedAt} />,
        }}
      />
      <Json value={saga.input} label="input" />
    </Stack>
  )
}
