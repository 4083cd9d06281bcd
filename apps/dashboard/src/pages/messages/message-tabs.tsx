import { Alert, Group, Stack, Text } from '@mantine/core'
import { type Answer, dataOf, useApi, useRead } from '../../api/client.tsx'
import { CodeNote, useTextBeside } from '../../codes/code-note.tsx'
import { AnchorLink } from '../../parts/layout/page-frame.tsx'
import { QueryState } from '../../parts/layout/notice.tsx'
import { CopyId } from '../../parts/show/facts.tsx'
import { Timeline, type TimelineEntry } from '../../parts/show/states.tsx'
import type { StateRole } from '../../states/role.ts'
import type { MessageDetails, MessageKey } from './message-list.tsx'
import { IconLock } from '@tabler/icons-react'
import { useState } from 'react'
import { ActButton } from '../../parts/act/form.tsx'
import { Json } from '../../parts/show/json.tsx'

interface JourneyProps {
  readonly message: MessageKey
  /** What a state of its outbox means. */
  readonly roleFor: (state: string) => StateRole | undefined
}

/** The way of a message: transaction, outbox, topic, inboxes, and what it led to. */
export function Journey({ message: { outbox: name, id }, roleFor }: JourneyProps) {
  const query = useRead(
    '/api/v1/outboxes/{name}/messages/{id}/journey',
    ['messages', 'journey', name, id],
    { params: { path: { name, id } } },
  )
  return (
    <QueryState query={query}>
      {({ steps, traceId, isComplete }) => (
        <Stack gap="sm">
          <Timeline entries={steps.map((step, index) => entryOf(step, String(index), roleFor))} />
          {traceId !== null && (
            <Text size="sm" component="div" c="dimmed">
              Trace <CopyId id={traceId} what="trace id" shown={20} />
            </Text>
          )}
          {!isComplete && (
            <Text size="sm" c="dimmed">
              This trace may have more messages: the search timed out.
            </Text>
          )}
        </Stack>
      )}
    </QueryState>
  )
}

type Step = Answer<'/api/v1/outboxes/{name}/messages/{id}/journey'>['steps'][number]
type Moved = Extract<Step, { kind: 'transition' }>
type Arrived = Extract<Step, { kind: 'arrived' }>

/** A step of a message's way, as a sentence. */
function entryOf(
  step: Step,
  id: string,
  roleFor: (state: string) => StateRole | undefined,
): TimelineEntry {
  switch (step.kind) {
    case 'created':
      return { id, at: step.at, what: 'Written in the producer’s transaction' }
    case 'transition':
      return { id, at: step.at, role: roleFor(step.to), ...moveOf(step) }
    case 'arrived':
      return {
        id,
        at: step.at,
        role: 'sent',
        what: `Arrived in ${step.topic} by ${step.transport}${placeOf(step)}`,
        ...(step.groups.length > 0 && { details: groupsOf(step) }),
      }
    case 'received':
      return {
        id,
        at: step.at,
        role: 'confirmed',
        what: `${step.consumer} processed it once`,
        details: `recorded in ${step.inbox}`,
      }
    case 'related':
      return {
        id,
        at: step.at,
        what: (
          <>
            In the same trace:{' '}
            <AnchorLink
              to="/messages"
              search={{ outbox: step.outbox, open: `${step.outbox}:${step.messageId}` }}
            >
              a message of {step.outbox}
            </AnchorLink>
            , which is {step.state}
          </>
        ),
      }
  }
}

function moveOf({ from, to, attempt, actor, code, error, reason }: Moved) {
  const tried = attempt === null || attempt === 0 ? '' : `, attempt ${attempt}`
  return {
    what: `${from ?? 'new'} → ${to} by ${actor}${tried}`,
    ...((code ?? error ?? reason) !== null && {
      details: <Why code={code} error={error} reason={reason} />,
    }),
  }
}

function Why({ code, error, reason }: Pick<Moved, 'code' | 'error' | 'reason'>) {
  const text = useTextBeside(code, error) ?? reason
  return (
    <>
      {code !== null && <CodeNote code={code} />}
      {text}
    </>
  )
}

function placeOf({ ref }: Arrived): string {
  const parts = Object.entries(ref).map(([name, value]) => `${name} ${value}`)
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`
}

function groupsOf({ groups }: Arrived): string {
  return groups
    .map(({ group, hasPassed }) => `${group} ${hasPassed ? 'has read it' : 'has not read it yet'}`)
    .join('; ')
}

interface PayloadTabProps {
  readonly message: MessageKey
  readonly details: MessageDetails
}

/** What is in a message. An encrypted payload is opened on request, and only until this is closed. */
export function PayloadTab({ message, details }: PayloadTabProps) {
  const [revealed, setRevealed] = useState<MessageDetails>()
  const shown = revealed ?? details
  return (
    <Stack gap="sm">
      <EncryptionNote details={shown} message={message} onReveal={setRevealed} />
      <Content details={shown} />
    </Stack>
  )
}

interface EncryptionNoteProps extends PayloadTabProps {
  readonly onReveal: (details: MessageDetails) => void
}

/** How the payload is stored, where that is not simply as it is. */
function EncryptionNote({ details: { encryption }, message, onReveal }: EncryptionNoteProps) {
  const api = useApi()
  const reveal = async (reason = '') => {
    const params = { path: { name: message.outbox, id: message.id } }
    const body = { reason }
    const answer = await dataOf(
      api.POST('/api/v1/outboxes/{name}/messages/{id}/reveal', { params, body }),
    )
    if (answer.encryption === 'encrypted') {
      throw new Error('This server does not have the key. The request is in the audit log.')
    }
    return answer
  }
  if (encryption === 'none') return null
  return (
    <Alert color="gray" role="note" icon={<IconLock size={16} aria-hidden />}>
      {encryption === 'encrypted' ? (
        <Group justify="space-between" gap="xs">
          <Text size="sm">Stored encrypted.</Text>
          <ActButton
            to="operate"
            label="Reveal"
            title="Show the payload of 1 message?"
            verb="Reveal 1"
            reason="required"
            run={reveal}
            done={() => 'Payload decrypted.'}
            changes={[]}
            onDone={onReveal}
          >
            It is decrypted and shown on this page until you close the message.
          </ActButton>
        </Group>
      ) : (
        STORED[encryption]
      )}
    </Alert>
  )
}

const STORED = {
  erased: 'The key of this payload was destroyed. It cannot be read any more.',
  revealed: 'Stored encrypted, and decrypted for you. The audit log has your reason.',
} as const

function Content({ details: { message, unreadable } }: { details: MessageDetails }) {
  if (message === null) {
    return <Text size="sm">This row is not a valid message: {unreadable ?? 'reason unknown'}</Text>
  }
  const { payload, headers, ...rest } = message
  return (
    <Stack gap="sm">
      <Json value={payload} label="payload" />
      <Text size="sm" fw={600}>
        Headers
      </Text>
      <Json value={headers ?? {}} label="headers" />
      <Text size="sm" fw={600}>
        Envelope
      </Text>
      <Json value={rest} label="envelope" />
    </Stack>
  )
}
