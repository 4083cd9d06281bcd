import {
  PosthornError,
  type Handled,
  type Log,
  type Message,
  type RetryPolicy,
  type Transaction,
} from '@posthorn/engine'
import { handleOnce } from '@posthorn/engine/inbox'
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

interface Participation<Schema extends TSchema> {
  readonly group: string
  /** The one type of event that is meant for it. */
  readonly command: string
  readonly payload: Schema
  /** Default: the transport's own. */
  readonly retry?: RetryPolicy
}

/** For effects outside, or on rows that many orders share: each command by itself. */
export interface SingleParticipation<Schema extends TSchema> extends Participation<Schema> {
  /** A throw brings the command again later. */
  handle(command: Command<Static<Schema>>): Promise<void>
}

/** For effects in the database alone: the commands of a poll are one transaction. */
export interface WritingParticipation<Schema extends TSchema> extends Participation<Schema> {
  /** Runs once for each command, in the transaction of its inbox row. */
  write(tx: Transaction, command: Command<Static<Schema>>): Promise<void>
}

/** A consumer of one command. All participants read the sagas' topic, each in a group of its own. */
export function participant<Schema extends TSchema>(
  { pool, events, transport, log }: ParticipantOptions,
  participation: SingleParticipation<Schema> | WritingParticipation<Schema>,
): SystemConsumer {
  const { group, command, payload: schema, retry } = participation
  const consumer = { transport, topic: events.topic, group, ...(retry && { retry }) }

  /** Others may write to the topic too: an unknown command must not hold up those behind it. */
  const commandOf = (message: Message): Command<Static<Schema>> | undefined => {
    if (message.type !== command) return undefined
    const { id, tenant: orgId, payload } = message
    const isWhole = orgId !== undefined && message.headers[SAGA_ID_HEADER] !== undefined
    if (!isWhole || !Value.Check(schema, payload)) {
      log.warn({ id, command }, 'unknown command skipped')
      return undefined
    }
    return { message, orgId, payload, receipt: { inbox: consumerInbox, consumer: group, id } }
  }

  /** True for a command whose saga has stopped waiting long ago. */
  const isTooLate = (error: unknown, id: string): boolean => {
    if (!(error instanceof PosthornError && error.code === 'INBOX_EXPIRED')) return false
    log.warn({ id, command }, 'command skipped: older than the retention of the inbox')
    return true
  }

  if ('handle' in participation) {
    return {
      ...consumer,
      async handle(message) {
        const given = commandOf(message)
        if (!given) return
        await participation.handle(given).catch((error: unknown) => {
          if (!isTooLate(error, message.id)) throw error
        })
      },
    }
  }
  const { handle, batch } = handleOnce({
    ...{ pool, inbox: consumerInbox, consumer: group },
    wants: (message) => commandOf(message) !== undefined,
    async handle(tx, message) {
      const given = commandOf(message)
      if (given) await participation.write(tx, given)
    },
  })
  return {
    ...consumer,
    async handle(message, context) {
      await handle(message, context).catch((error: unknown) => {
        if (!isTooLate(error, message.id)) throw error
      })
    },
    batch: {
      size: batch.size,
      async handle(messages, context) {
        const results = await batch.handle(messages, context)
        return results.map((result, at): Handled => {
          const isOver =
            typeof result === 'object' && isTooLate(result.error, messages[at]?.id ?? '')
          return isOver ? 'done' : result
        })
      },
    },
  }
}
