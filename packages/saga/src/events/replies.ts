import type { Consumer, Message, Transaction } from '@posthorn/engine'
import { defineInbox, handleOnce, once } from '@posthorn/engine/inbox'
import type { Pool } from 'pg'
import { SAGA_ID_HEADER, isUuid } from '../outbox/event-outbox.ts'
import { keepReply, type ReplyOutcome } from './replies.sql.ts'
import { SIGNAL_PREFIX } from '../define/saga.ts'
import { sagaTurns } from '../outbox/turn-outbox.ts'

/** Remembers which consumer has had which event: for the sagas' replies, and for consumers of their events. */
export const consumerInbox = defineInbox({ table: 'sagas.consumer_inbox', retention: '30d' })

export interface IncomingReply {
  /** Who reads the topic; each event counts once for each consumer. */
  readonly consumer: string
  readonly message: Message
  /** Whose reply it is. Default: the header `saga-id`. */
  readonly sagaId?: string
}

/**
 * Takes an event for the saga it belongs to. `woke`: the saga waited for it and goes on; `kept`: it
 * waits for the saga; `ignored`: the saga has ended, or there is none; `duplicate`: it was here before.
 */
export async function acceptReply(
  tx: Transaction,
  { consumer, message, sagaId = message.headers[SAGA_ID_HEADER] }: IncomingReply,
): Promise<ReplyOutcome | 'duplicate'> {
  // Other people's events come by on the same topic.
  if (sagaId === undefined || !isUuid(sagaId)) return 'ignored'
  const received = await once(tx, { inbox: consumerInbox, consumer, id: message.id }, () =>
    takeReply(tx, sagaId, message),
  )
  return received.first ? received.result : 'duplicate'
}

async function takeReply(tx: Transaction, sagaId: string, message: Message): Promise<ReplyOutcome> {
  // What a broker brings is no signal, under any name.
  if (message.type.startsWith(SIGNAL_PREFIX)) return 'ignored'
  const outcome = await keepReply(tx, sagaId, message)
  if (outcome === 'woke') tx.ringLater(sagaTurns.bell)
  return outcome
}

export interface SagaRepliesOptions {
  readonly pool: Pool
  readonly topic: string
  /** Default `sagas`. */
  readonly group?: string
  /** Where an event names its saga; undefined if it is not for one. Default: the header `saga-id`. */
  sagaIdOf?(message: Message): string | undefined
}

/**
 * A consumer that brings the events of a topic to the sagas that wait for them, those of a poll in
 * one transaction.
 */
export function sagaReplies(options: SagaRepliesOptions): Consumer {
  const { pool, topic, group = 'sagas', sagaIdOf = headerOf } = options
  // Other people's events come by on the same topic.
  const sagaOf = (message: Message) => {
    const sagaId = sagaIdOf(message)
    return sagaId !== undefined && isUuid(sagaId) ? sagaId : undefined
  }
  return {
    topic,
    group,
    ...handleOnce({
      ...{ pool, inbox: consumerInbox, consumer: group },
      wants: (message) => sagaOf(message) !== undefined,
      async handle(tx, message) {
        const sagaId = sagaOf(message)
        if (sagaId !== undefined) await takeReply(tx, sagaId, message)
      },
    }),
  }
}

function headerOf(message: Message): string | undefined {
  return message.headers[SAGA_ID_HEADER]
}
