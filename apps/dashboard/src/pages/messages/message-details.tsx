import { Group, Stack, Tabs, Text } from '@mantine/core'
import { because, post, useRead } from '../../api/client.tsx'
import {
  CHANGED,
  FailureNote,
  isWaiting,
  type ListedOutbox,
  type MessageDetails,
  type MessageKey,
  roleIn,
} from './message-list.tsx'
import { ActButton } from '../../parts/act/form.tsx'
import { AnchorLink } from '../../parts/layout/page-frame.tsx'
import { QueryState } from '../../parts/layout/notice.tsx'
import { Related } from '../../parts/layout/related.tsx'
import { CopyId, idFact, KeyValue, Time, timeFact } from '../../parts/show/facts.tsx'
import { Json } from '../../parts/show/json.tsx'
import { StateBadge } from '../../parts/show/states.tsx'
import { ROLE_LOOKS, type StateRole } from '../../states/role.ts'
import { firstOf, useContents } from '../../systems.tsx'
import { Journey, PayloadTab } from './message-tabs.tsx'

interface MessageDetailsProps {
  readonly message: MessageKey
  readonly outboxes: readonly ListedOutbox[]
}

/** One message: its facts, why it is where it is, its way, and what is in it. */
export function MessageDetailsView({ message, outboxes }: MessageDetailsProps) {
  const { outbox: name, id } = message
  const query = useRead('/api/v1/outboxes/{name}/messages/{id}', ['messages', 'one', name, id], {
    params: { path: { name, id } },
  })
  return (
    <QueryState query={query}>
      {(details) => {
        const role = roleIn(outboxes, { outbox: name, state: details.state })
        const outbox = outboxes.find((each) => each.name === name)
        return (
          <Stack gap="md">
            <Group gap="xs">
              <MessageActions
                message={message}
                role={details.quarantinedAt === null ? role : 'dead'}
                isArchived={details.archivedAt !== null}
                canBeCancelled={outbox !== undefined && outbox.roles.cancelled !== null}
              />
            </Group>
            <MessageFacts outbox={name} details={details} role={role} />
            <FailureNote outbox={name} code={details.errorCode} error={details.error} />
            <Related id={id} except={[]} />
            <Tabs defaultValue="way">
              <Tabs.List>
                <Tabs.Tab value="way">Timeline</Tabs.Tab>
                <Tabs.Tab value="payload">Payload</Tabs.Tab>
                <Tabs.Tab value="row">Database row</Tabs.Tab>
              </Tabs.List>
              <Tabs.Panel value="way" pt="md">
                <Journey
                  message={message}
                  roleFor={(state) => roleIn(outboxes, { outbox: name, state })}
                />
              </Tabs.Panel>
              <Tabs.Panel value="payload" pt="md">
                <PayloadTab message={message} details={details} />
              </Tabs.Panel>
              <Tabs.Panel value="row" pt="md">
                <Json value={details.row} label="row" />
              </Tabs.Panel>
            </Tabs>
          </Stack>
        )
      }}
    </QueryState>
  )
}

interface MessageFactsProps {
  readonly outbox: string
  readonly details: MessageDetails
  readonly role: StateRole | undefined
}

/** Where a message is, and since when. */
function MessageFacts({ outbox, details, role }: MessageFactsProps) {
  const { id, state, label, type, key, tenant, attempts, createdAt, held } = details
  const { webs } = useContents()
  const page = firstOf(webs, ({ outboxes }) => outboxes?.[outbox]?.page)
  const word = role && ROLE_LOOKS[role].word
  return (
    <KeyValue
      facts={{
        State: (
          <>
            <StateBadge state={state} role={role} />
            {word !== undefined && word !== state.toLowerCase() && ` ${word}`}
            {held && ', waiting for an earlier message of its key'}
          </>
        ),
        Outbox: (
          <AnchorLink size="sm" to="/outboxes/$name" params={{ name: outbox }}>
            {outbox}
          </AnchorLink>
        ),
        About: label ?? undefined,
        Id: <CopyId id={id} />,
        Type: type ?? undefined,
        Key: idFact(key, { what: 'key' }),
        Organisation: tenant ?? undefined,
        Attempts: attempts,
        'Next due': isWaiting(role) ? (
          <Time at={details.dueAt} clock="business" ahead />
        ) : undefined,
        'Claimed until': timeFact(details.claimedUntil, { ahead: true }),
        Quarantined: timeFact(details.quarantinedAt),
        Created: timeFact(createdAt),
        Archived: timeFact(details.archivedAt),
        Attempted: page && (
          <AnchorLink size="sm" to={page.to(id)}>
            {page.title}
          </AnchorLink>
        ),
      }}
    />
  )
}

interface MessageActionsProps {
  readonly message: MessageKey
  readonly role: StateRole | undefined
  readonly isArchived: boolean
  readonly canBeCancelled: boolean
}

/** What can be done about a message in its state, or why there is nothing. */
function MessageActions(props: MessageActionsProps) {
  const { role, isArchived, canBeCancelled, message } = props
  const params = { path: { name: message.outbox, id: message.id } }
  const isDead = role === 'dead'
  if (isArchived || (!isDead && !(isWaiting(role) && canBeCancelled))) {
    return (
      <Text size="sm" c="dimmed">
        {isArchived ? 'Archived. No action needed.' : sentenceFor(role)}
      </Text>
    )
  }
  return (
    <>
      {isDead && (
        <ActButton
          to="operate"
          label="Replay"
          title="Send 1 message again?"
          verb="Replay 1"
          reason="optional"
          run={(reason) =>
            post('/api/v1/outboxes/{name}/messages/{id}/replay', {
              ...params,
              body: because(reason),
            })
          }
          done={() => 'Message replayed.'}
          changes={CHANGED}
        >
          It keeps its id, so consumers can recognise it, and starts again at attempt zero.
        </ActButton>
      )}
      {canBeCancelled && (
        <ActButton
          to="operate"
          label="Cancel"
          title="Cancel 1 message?"
          verb="Cancel 1"
          dismiss="Back"
          tone="danger"
          reason="optional"
          run={(reason) =>
            post('/api/v1/outboxes/{name}/messages/{id}/cancel', {
              ...params,
              body: because(reason),
            })
          }
          done={() => 'Message cancelled.'}
          changes={CHANGED}
        >
          It will not be sent. Messages waiting behind it continue.
        </ActButton>
      )}
    </>
  )
}

function sentenceFor(role: StateRole | undefined): string {
  if (role === 'claimed') return 'A relay is sending it; it cannot be cancelled now.'
  if (isWaiting(role)) {
    return 'The relay sends it when it is due; messages of this outbox cannot be cancelled.'
  }
  return 'Finished. No action needed.'
}
