import { PosthornError, type Log, type Message, type RetryPolicy } from '@posthorn/engine'
import { SAGA_ID_HEADER, consumerInbox, type SagaEvents } from '@posthorn/saga'
import type { Pool } from 'pg'
import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import type { SystemConsumer } from '../system.ts'

/** What every participant works with. */
export interface ParticipantOptions {
  readonly pool: Pool
  readonly events: SagaEvents
  /** The broker that brings the commands. */
  readonly transport: string
  readonly log: Log
}

/** A command as its participant sees it. */
export interface Command<Payload> {
  readonly message: Message
  readonly orgId: string
  readonly payload: Payload
  /** For the inbox: one participant does one command once. */
  readonly receipt: {
    readonly inbox: typeof consumerInbox
    readonly consumer: string
    readonly id: string
  }
}

export interface Participation<Schema extends TSchema> {
  readonly group: string
  /** The one type of event that is meant for it. */
  readonly command: string
  readonly payload: Schema
  /** Default: the transport's own. */
  readonly retry?: RetryPolicy
  /** A throw brings the command again later. */
  handle(command: Command<Static<Schema>>): Promise<void>
}

/** A consumer of one command. All participants read the sagas' topic, each in a group of its own. */
export function participant<Schema extends TSchema>(
  { events, transport, log }: ParticipantOptions,
  { group, command, payload: schema, retry, handle }: Participation<Schema>,
): SystemConsumer {
  return {
    transport,
    topic: events.topic,
    group,
    ...(retry && { retry }),
    async handle(message) {
      if (message.type !== command) return
      const { id, tenant: orgId, payload } = message
      // Others may write to the topic too: an unknown command must not hold up those behind it.
      const isWhole = orgId !== undefined && message.headers[SAGA_ID_HEADER] !== undefined
      if (!isWhole || !Value.Check(schema, payload)) {
        return log.warn({ id, command }, 'unknown command skipped')
      }
      const receipt = { inbox: consumerInbox, consumer: group, id }
      try {
        await handle({ message, orgId, payload, receipt })
      } catch (error) {
        // Its saga has stopped waiting long ago.
        if (!(error instanceof PosthornError && error.code === 'INBOX_EXPIRED')) throw error
        log.warn({ id, command }, 'command skipped: older than the inbox remembers')
      }
    },
  }
}
