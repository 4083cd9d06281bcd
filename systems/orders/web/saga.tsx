import { Grid, Stack, Text } from '@mantine/core'
import {
  AnchorLink,
  CodeNote,
  type Column,
  column,
  CopyId,
  DataTable,
  Empty,
  formatDuration,
  isOperator,
  Json,
  KeyValue,
  PageFrame,
  Panel,
  QueryState,
  Related,
  type RowStep,
  StateBadge,
  StepRow,
  Time,
  timeFact,
  Timeline,
  type TimelineEntry,
  useNow,
  useRead,
  useUser,
} from '@posthorn/dashboard/kit'
import { useParams } from '@tanstack/react-router'
import { Interventions, SagaActions } from './saga-actions.tsx'
import {
  isOver,
  lookOfStep,
  SAGA_ROLES,
  type SagaDetails,
  type SagaStep,
  standingOf,
  useSagaChanges,
} from './saga-state.ts'

export function Saga() {
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const query = useRead('/api/v1/sagas/{id}', ['sagas', 'one', id], { params: { path: { id } } })
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

/** A stuck saga shows the interventions first. */
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
          [saga.waitsFor.length > 0 ? 'Waits until' : 'Next attempt']: timeFact(saga.dueAt, {
            clock: 'business',
            ahead: true,
          }),
          'Must end by': timeFact(saga.deadlineAt, { clock: 'business', ahead: true }),
          Cancelled: timeFact(saga.cancelledAt),
          Ended: timeFact(saga.finishedAt),
        }}
      />
      <Json value={saga.input} label="input" />
    </Stack>
  )
}

/** The steps in the order of their definition, branches below each other. */
function SagaSteps({ saga }: { saga: SagaDetails }) {
  const places = placesOf(saga.steps)
  const steps = saga.steps.map((step, i) => ({ ...rowOf(saga, step), place: places[i] }))
  return <StepRow label="Steps of the saga" steps={steps} />
}

function rowOf(saga: SagaDetails, step: SagaStep): RowStep {
  const { role, word } = lookOfStep(step)
  const undone = saga.compensations.find(({ step: name }) => name === step.name)
  const tries = undone?.attempts ?? step.attempts
  const at = undone?.undoneAt ?? step.endedAt ?? step.updatedAt
  return {
    id: step.name,
    name: step.name,
    word: tries > 1 ? `${word}, ${tries} attempts` : word,
    role,
    isCurrent: saga.atHand.includes(step.name),
    details: (
      <>
        {step.branch !== null && <div>branch {step.branch.name}</div>}
        {step.error !== null && <div>{step.error.code}</div>}
        {step.timedOut && step.error === null && <div>timed out</div>}
        {step.dueAt === null ? (
          at !== null && <Time at={at} />
        ) : (
          <div>
            {step.status === 'WAITING' ? 'due' : 'again'}{' '}
            <Time at={step.dueAt} clock="business" ahead />
          </div>
        )}
      </>
    ),
  }
}

/**
 * Where each step stands in the grid: each branch of a fork has its own row and starts in the same
 * column. Empty if nothing runs side by side.
 */
export function placesOf(steps: readonly Pick<SagaStep, 'branch'>[]): RowStep['place'][] {
  if (steps.every(({ branch }) => branch === null)) return []
  const rows = Math.max(...steps.map((_, i) => branchNames(steps, i).length), 1)
  const places: NonNullable<RowStep['place']>[] = []
  let next = 1
  let start = 1
  for (const [i, { branch }] of steps.entries()) {
    const before = steps[i - 1]?.branch
    if (branch === null) {
      places.push({ column: next, row: 1, rows })
      next += 1
      continue
    }
    if (before?.fork !== branch.fork) start = next
    const isSameBranch = before?.fork === branch.fork && before.name === branch.name
    const at = isSameBranch ? (places.at(-1)?.column ?? start) + 1 : start
    places.push({ column: at, row: branchNames(steps, i).indexOf(branch.name) + 1, rows: 1 })
    next = Math.max(next, at + 1)
  }
  return places
}

/** The branches of the fork that a step belongs to, in order. */
function branchNames(steps: readonly Pick<SagaStep, 'branch'>[], i: number): string[] {
  const fork = steps[i]?.branch?.fork
  const names = steps.flatMap(({ branch }) =>
    branch !== null && branch.fork === fork ? [branch.name] : [],
  )
  return [...new Set(names)]
}

interface Bar {
  readonly id: string
  readonly what: string
  readonly kind: 'done' | 'refused' | 'undone'
  readonly from: number
  /** Undefined while it runs. */
  readonly to: number | undefined
}

const COLORS = { done: 'green', refused: 'red', undone: 'gray' } as const

/** When each step began and how long it took, from the start of the saga to its end. */
function SagaTimes({ saga }: { saga: SagaDetails }) {
  const { wall } = useNow()
  const bars = barsOf(saga)
  if (bars.length === 0) return null
  const columns = timeColumns(bars, ({ to, from }) => to ?? (isOver(saga) ? from : wall))
  return (
    <Panel title="Times">
      <DataTable label="Times" list={bars} columns={columns} idOf={({ id }) => id} />
    </Panel>
  )
}

function timeColumns(bars: readonly Bar[], endOf: (bar: Bar) => number): readonly Column<Bar>[] {
  const start = Math.min(...bars.map(({ from }) => from))
  const whole = Math.max(...bars.map(endOf)) - start || 1
  const after = (at: number) => formatDuration(at - start)
  const part = (ms: number) => `${(ms / whole) * 100}%`
  const took = (bar: Bar) => endOf(bar) - bar.from
  return [
    column.text('what', 'Step', { width: 'minmax(90px, 1fr)' }),
    { id: 'took', title: 'Took', width: '84px', cell: (bar) => formatDuration(took(bar)) },
    {
      id: 'lane',
      title: `0 to ${formatDuration(whole)}`,
      width: 'minmax(100px, 5fr)',
      cell: (bar) => (
        <div style={{ flex: 1, overflow: 'hidden' }}>
          <div
            data-color={bar.to === undefined ? 'blue' : COLORS[bar.kind]}
            role="img"
            aria-label={`from ${after(bar.from)} to ${after(endOf(bar))}`}
            style={{
              ...{ height: 10, minWidth: 2, borderRadius: 2, background: 'var(--tint)' },
              ...{ marginLeft: part(bar.from - start), width: part(took(bar)) },
            }}
          />
        </div>
      ),
    },
  ]
}

/** Steps that were done and undone, by their start. */
function barsOf({ steps }: Pick<SagaDetails, 'steps'>): Bar[] {
  const done = steps.flatMap(({ name, status, skipped, startedAt, endedAt }) => {
    const kind = lookOfStep({ status, skipped }).role === 'dead' ? 'refused' : 'done'
    return barOf({ id: name, what: name, kind }, startedAt, endedAt)
  })
  const undone = steps.flatMap(({ name, undoStartedAt, undoneAt }) =>
    barOf({ id: `undo ${name}`, what: `undo ${name}`, kind: 'undone' }, undoStartedAt, undoneAt),
  )
  return [...done, ...undone].toSorted((one, other) => one.from - other.from)
}

function barOf(
  bar: Pick<Bar, 'id' | 'what' | 'kind'>,
  from: string | null,
  to: string | null,
): Bar[] {
  if (from === null) return []
  return [{ ...bar, from: Date.parse(from), to: to === null ? undefined : Date.parse(to) }]
}

type SagaEvent = SagaDetails['events'][number]
type SagaReply = SagaDetails['replies'][number]
type Compensation = SagaDetails['compensations'][number]
type Action = SagaDetails['actions'][number]

/** Events sent and received, compensations and operators' actions, in order of time. */
export function SagaEvents({ saga }: { saga: SagaDetails }) {
  const { role } = useUser()
  const entries = [
    ...saga.events.map((event) => sentOf(event, isOperator(role))),
    ...saga.replies.map(heardOf),
    ...saga.compensations.filter(isCompensation).map(undoneOf),
    ...saga.actions.map(actedOf),
  ].toSorted((one, other) => timeOf(one) - timeOf(other))
  return (
    <Panel title="Events">
      {entries.length === 0 ? (
        <Empty title="Nothing yet">Events and replies appear here.</Empty>
      ) : (
        <Timeline entries={entries} />
      )}
    </Panel>
  )
}

function Payload({ value, of }: { value: unknown; of: string }) {
  return (
    <details>
      <summary>Payload</summary>
      <Json value={value} label={`payload of ${of}`} />
    </details>
  )
}

/** Entries in progress come last. */
function timeOf({ at }: TimelineEntry): number {
  return at === null ? Number.POSITIVE_INFINITY : Date.parse(at)
}

function sentOf(event: SagaEvent, mayOpen: boolean): TimelineEntry {
  const isSent = event.sentAt !== null
  return {
    id: `event ${event.id}`,
    at: event.createdAt,
    role: isSent ? 'sent' : 'ready',
    what: (
      <>
        {event.step} {isSent ? 'sent' : 'will send'} <strong>{event.type}</strong>{' '}
        {mayOpen && (
          <AnchorLink
            size="sm"
            to="/messages"
            search={{ outbox: 'sagas.events', open: `sagas.events:${event.id}` }}
            aria-label={`Open message ${event.type}`}
          >
            Open message
          </AnchorLink>
        )}
      </>
    ),
    details: <Payload value={event.payload} of={event.type} />,
  }
}

const REPLY_WORDS: Readonly<Record<string, string>> = {
  KEPT: 'kept for the step that waits for it',
  USED: 'used',
  IGNORED: 'ignored: the saga had ended',
}

function heardOf(reply: SagaReply): TimelineEntry {
  return {
    id: `reply ${reply.id}`,
    at: reply.receivedAt,
    role: reply.status === 'IGNORED' ? 'cancelled' : 'confirmed',
    what: (
      <>
        Received {reply.kind === 'signal' && 'the signal '}
        <strong>{reply.type}</strong>, {REPLY_WORDS[reply.status] ?? reply.status}
      </>
    ),
    details: <Payload value={reply.payload} of={reply.type} />,
  }
}

/** A skipped compensation was not undone; the skip has its own entry. */
function isCompensation({ status, undoneAt }: Compensation): boolean {
  return status === 'UNDOING' || undoneAt !== null
}

function undoneOf({ step, status, attempts, undoneAt }: Compensation): TimelineEntry {
  const isDone = status === 'COMPENSATED'
  return {
    id: `compensation ${step}`,
    at: undoneAt,
    role: isDone ? 'cancelled' : 'retry',
    what: (
      <Text span size="sm">
        {isDone ? 'Undone' : 'Being undone'}: <strong>{step}</strong>
        {attempts > 1 ? `, ${attempts} attempts` : ''}
      </Text>
    ),
  }
}

const ACTION_WORDS: Readonly<Record<Action['action'], (step: string | null) => string>> = {
  cancel: () => 'cancelled the saga',
  resume: () => 'resumed the saga',
  skip: (step) => `skipped ${step ?? 'a step'}`,
  terminate: (step) => `terminated the saga at ${step ?? 'its last step'}`,
}

function actedOf({ action, step, by, reason, at }: Action): TimelineEntry {
  return {
    id: `action ${at} ${action}`,
    at,
    role: 'claimed',
    what: (
      <>
        <strong>{by}</strong> {ACTION_WORDS[action](step)}
        {reason === null ? '' : `: ${reason}`}
      </>
    ),
  }
}
