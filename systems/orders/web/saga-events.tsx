import { Text } from '@mantine/core'
import {
  AnchorLink,
  Empty,
  isOperator,
  Json,
  Panel,
  Timeline,
  type TimelineEntry,
  useUser,
} from '@posthorn/dashboard/kit'
import type { SagaDetails } from './saga-state.ts'

type SagaEvent = SagaDetails['events'][number]
type SagaReply = SagaDetails['replies'][number]
type Compensation = SagaDetails['compensations'][number]
type Action = SagaDetails['actions'][number]

/** What a saga sent, heard and undid, and what operators did to it, in the order in which it happened. */
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

/** What is not over stands last. */
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

/** What an operator skipped was not undone; that it was skipped is an entry of its own. */
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
