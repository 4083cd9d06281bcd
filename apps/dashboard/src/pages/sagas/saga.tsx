import { Grid, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { CodeNote } from '../../codes/code-note.tsx'
import { SagaEvents } from './saga-events.tsx'
import {
  lookOfStep,
  SAGA_ROLES,
  type SagaDetails,
  type SagaStep,
  standingOf,
} from './saga-state.ts'
import { useSagaChanges } from './use-saga-changes.ts'
import { ConfirmButton } from '../../parts/confirm.tsx'
import { CopyId } from '../../parts/copy-id.tsx'
import { Json } from '../../parts/json.tsx'
import { KeyValue } from '../../parts/key-value.tsx'
import { ButtonLink } from '../../parts/links.tsx'
import { PageFrame } from '../../parts/page-frame.tsx'
import { Panel } from '../../parts/panel.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { type RowStep, StepRow } from '../../parts/step-row.tsx'
import { Time } from '../../parts/time.tsx'
import { useAction } from '../../parts/use-action.ts'

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
          {saga.error !== null && (
            <Panel title={saga.status === 'FAILED' ? 'Why it is stuck' : 'Why it is undone'}>
              <CodeNote code={saga.error.code} section="What an order says" />
              <Text size="sm" c="dimmed">
                Error text: {saga.error.message}
              </Text>
            </Panel>
          )}
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
        </PageFrame>
      )}
    </QueryState>
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
            saga.dueAt === null ? undefined : <Time at={saga.dueAt} clock="business" />,
          Cancelled: saga.cancelledAt === null ? undefined : <Time at={saga.cancelledAt} />,
          Ended: saga.finishedAt === null ? undefined : <Time at={saga.finishedAt} />,
        }}
      />
      <Json value={saga.input} label="input" />
    </Stack>
  )
}

/** The steps in the order of their definition, with where each is and since when. */
function SagaSteps({ saga }: { saga: SagaDetails }) {
  return <StepRow label="Steps of the saga" steps={saga.steps.map((step) => rowOf(saga, step))} />
}

function rowOf(saga: SagaDetails, step: SagaStep): RowStep {
  const { role, word } = lookOfStep(step.status)
  const undone = saga.compensations.find(({ step: name }) => name === step.name)
  const tries = undone?.attempts ?? step.attempts
  return {
    id: step.name,
    name: step.name,
    word: tries > 1 ? `${word}, ${tries} attempts` : word,
    role,
    isCurrent: saga.step === step.name,
    details: (
      <>
        {step.error !== null && <div>{step.error.code}</div>}
        {step.updatedAt !== null && <Time at={undone?.undoneAt ?? step.updatedAt} />}
      </>
    ),
  }
}

/** Resumes what is stuck, cancels what runs. */
function SagaActions({ saga }: { saga: SagaDetails }) {
  const api = useApi()
  const params = { path: { id: saga.id } }
  const resume = useAction({
    run: () => dataOf(api.POST('/api/v1/sagas/{id}/resume', { params })),
    done: () => 'Saga resumed.',
    changes: ['sagas', 'alerts', 'overview'],
  })
  const cancel = useAction({
    run: () => dataOf(api.POST('/api/v1/sagas/{id}/cancel', { params })),
    done: () => 'Saga cancelled; its steps are being undone.',
    changes: ['sagas', 'alerts', 'overview'],
  })
  // A saga that failed while it was undone can only go on with that.
  const isForward =
    saga.status === 'RUNNING' || (saga.status === 'FAILED' && saga.compensations.length === 0)
  return (
    <Group gap="xs">
      <ButtonLink variant="default" to="/sagas">
        All orders
      </ButtonLink>
      {saga.status === 'FAILED' && (
        <ConfirmButton
          label="Resume"
          title="Resume 1 saga?"
          verb="Resume"
          onConfirm={() => resume.mutateAsync(undefined)}
        >
          It continues at {saga.step ?? 'the step it was at'}, starting again at attempt zero. If
          the cause persists, it gets stuck again.
        </ConfirmButton>
      )}
      {isForward && saga.cancelledAt === null && (
        <ConfirmButton
          label="Cancel"
          title="Cancel 1 saga?"
          verb="Cancel and undo"
          dismiss="Back"
          tone="danger"
          onConfirm={() => cancel.mutateAsync(undefined)}
        >
          A step in progress ends first. Then all steps are undone, last first: stock is released
          and a payment is refunded.
        </ConfirmButton>
      )}
    </Group>
  )
}
