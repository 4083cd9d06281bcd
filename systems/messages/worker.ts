import {
  retryLater,
  unknown,
  type Delivery,
  type Queryable,
  type Transport,
} from '@posthorn/engine'
import type { Pool } from 'pg'
import { CONSENT_WITHDRAWN } from './attempts.ts'
import { findGranted } from './dossiers/queries.ts'
import { providerOf, type Answered, type Outgoing, type Providers } from './providers/provider.ts'

/**
 * Hands claimed messages to the provider of their channel, a whole batch side by side. Consent is
 * asked once more: it may have been withdrawn since the message was queued.
 */
export function outboundTransport(pool: Pool, providers: Providers): Transport {
  return {
    async deliver(batch, { signal }) {
      const outgoing = batch.map(outgoingIn)
      const granted = await findGrantedAmong(pool, outgoing).catch(asError)
      if (granted instanceof Error) return outgoing.map(() => unaskedAnswer(granted))
      return Promise.all(
        outgoing.map(async (message) =>
          granted(message) ? sendOne(providers, message, signal) : withdrawn(message),
        ),
      )
    },
    async close() {
      await Promise.all([...providers.values()].map((provider) => provider.close()))
    },
  }
}

function outgoingIn({ message }: Delivery): Outgoing {
  return message.payload as Outgoing
}

/** A provider that throws may have sent first: one broken message must not decide for its batch. */
async function sendOne(
  providers: Providers,
  message: Outgoing,
  signal: AbortSignal,
): Promise<Answered> {
  try {
    return await providerOf(providers, message.channel).send(message, signal)
  } catch (error) {
    return unknown(error)
  }
}

/** Without an answer about consent nothing is sent, and nothing is charged for it. */
function unaskedAnswer(error: Error): Answered {
  return retryLater(error, { after: '5s', charge: false })
}

function withdrawn({ dossierId, channel }: Outgoing): Answered {
  const message = `dossier ${dossierId} has withdrawn its consent for ${channel}`
  return retryLater({ code: CONSENT_WITHDRAWN, message }, { after: '1s', charge: false })
}

async function findGrantedAmong(
  db: Queryable,
  messages: readonly Outgoing[],
): Promise<(message: Outgoing) => boolean> {
  const linked = messages.flatMap(({ dossierId, channel }) =>
    dossierId === null ? [] : [{ dossierId, channel }],
  )
  if (linked.length === 0) return () => true
  const rows = await findGranted(db, linked)
  const keys = new Set(rows.map((row) => JSON.stringify([row.dossier_id, row.channel])))
  return ({ dossierId, channel }) =>
    dossierId === null || keys.has(JSON.stringify([dossierId, channel]))
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
