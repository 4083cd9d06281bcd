import {
  PosthornError,
  enqueue,
  transaction,
  type Handled,
  type Log,
  type Message,
  type RetryPolicy,
  type Transaction,
} from '@posthorn/engine'
import { handleOnce, once } from '@posthorn/engine/inbox'
import { SAGA_ID_HEADER, consumerInbox, type SagaEvents } from '@posthorn/saga'
import type { Pool } from 'pg'
import { Type, type Static, type TSchema } from 'typebox'
import { Value } from 'typebox/value'
import type { SystemConsumer } from '@posthorn/system'

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
  readonly orgId: string
  readonly payload: Payload
  /** For the inbox: one participant does one command once. */
  readonly receipt: Receipt
  /** Answers it, in the transaction that makes the answer true. */
  answer(tx: Transaction, type: string, payload: object): Promise<void>
}

interface Receipt {
  readonly inbox: typeof consumerInbox
  readonly consumer: string
  readonly id: string
}

interface Participation<Schema extends TSchema> {
  readonly group: string
  /** The one type of event that is meant for it. */
  readonly command: string
  readonly payload: Schema
  /** The type of its answer "no". */
  readonly refusal: string
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

/** `refused`: a saga waits for an answer to something that is no command. */
type Read<Payload> = Command<Payload> | 'refused' | undefined

const SagaId = Type.String({ format: 'uuid' })

/**
 * A consumer of one command. All participants read the sagas' topic, each in a group of its own. What
 * it does not understand it refuses, so that the saga need not wait for its timeout.
 */
export function participant<Schema extends TSchema>(
  { pool, events, transport, log }: ParticipantOptions,
  participation: SingleParticipation<Schema> | WritingParticipation<Schema>,
): SystemConsumer {
  const { group, command, payload: schema, refusal, retry } = participation
  const consumer = { transport, topic: events.topic, group, ...(retry && { retry }) }
  const receiptOf = ({ id }: Message): Receipt => ({ inbox: consumerInbox, consumer: group, id })
  const answerTo =
    ({ headers, tenant }: Message): Command<unknown>['answer'] =>
    async (tx, type, payload) => {
      const sagaId = headers[SAGA_ID_HEADER] ?? ''
      await enqueue(tx, events, {
        ...{ saga_id: sagaId, step: group, topic: events.topic, event_type: type },
        ...{ key: sagaId, tenant: tenant ?? null, payload },
      })
    }

  /** Others may write to the topic too: an unknown command must not hold up those behind it. */
  const read = (message: Message): Read<Static<Schema>> => {
    if (message.type !== command) return undefined
    const { id, tenant: orgId, payload } = message
    if (!Value.Check(SagaId, message.headers[SAGA_ID_HEADER])) {
      log.warn({ id, command }, 'command without a saga skipped')
      return undefined
    }
    if (orgId === undefined || !Value.Check(schema, payload)) return 'refused'
    return { orgId, payload, receipt: receiptOf(message), answer: answerTo(message) }
  }

  const refuse = async (tx: Transaction, message: Message): Promise<void> => {
    const [mistake] = Value.Errors(schema, message.payload)
    const why = mistake ? `${mistake.instancePath.slice(1)} ${mistake.message}` : 'no organisation'
    log.warn({ id: message.id, command, why }, 'unreadable command refused')
    const payload = { code: 'COMMAND_INVALID', message: `${group} cannot read ${command}: ${why}` }
    await answerTo(message)(tx, refusal, payload)
  }

  /** True for a command whose saga has stopped waiting long ago. */
  const isTooLate = (error: unknown, id: string): boolean => {
    if (!(error instanceof PosthornError && error.code === 'INBOX_EXPIRED')) return false
    log.warn({ id, command }, 'command skipped: older than the retention of the inbox')
    return true
  }

  if ('handle' in participation) {
    const take = async (message: Message): Promise<void> => {
      const given = read(message)
      if (given === 'refused') {
        await transaction(pool, (tx) => once(tx, receiptOf(message), () => refuse(tx, message)))
      } else if (given) await participation.handle(given)
    }
    return {
      ...consumer,
      async handle(message) {
        await take(message).catch((error: unknown) => {
          if (!isTooLate(error, message.id)) throw error
        })
      },
    }
  }
  const { handle, batch } = handleOnce({
    ...{ pool, inbox: consumerInbox, consumer: group },
    wants: (message) => read(message) !== undefined,
    async handle(tx, message) {
      const given = read(message)
      if (given === 'refused') await refuse(tx, message)
      else if (given) await participation.write(tx, given)
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
