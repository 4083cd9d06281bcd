import {
  failureOf,
  refused,
  retryLater,
  unknown,
  type Delivery,
  type Failure,
  type Queryable,
  type Transport,
} from '@posthorn/engine'
import type { Pool } from 'pg'
import type { Sealing } from '../sealing.ts'
import { toSendingAccount, type AccountRow, type StopRow } from './accounts/account.ts'
import { findAccounts, findStops } from './accounts/queries.ts'
import { CONSENT_WITHDRAWN } from './attempts.ts'
import { findGranted, type ConsentKey } from './dossiers/queries.ts'
import {
  HOLD,
  providerOf,
  type Answered,
  type Outgoing,
  type Providers,
  type SendingAccount,
} from './providers/provider.ts'

export interface OutboundTransportOptions {
  readonly pool: Pool
  readonly providers: Providers
  readonly sealing: Sealing
}

/**
 * Hands claimed messages to the provider of their channel, a whole batch side by side. Consent is
 * asked once more, since it may have been withdrawn since the message was queued, and so is the
 * account: its credentials as they are now, and whether it may send.
 */
export function outboundTransport(options: OutboundTransportOptions): Transport {
  const { pool, providers } = options
  return {
    async deliver(batch, { signal }) {
      const outgoing = batch.map(outgoingIn)
      const known = await Promise.all([
        findGrantedAmong(pool, outgoing),
        findSendersOf(options, outgoing),
      ]).catch(asError)
      if (known instanceof Error) return outgoing.map(() => unaskedAnswer(known))
      const [granted, senderOf] = known
      return Promise.all(
        outgoing.map(async (message) =>
          granted(message)
            ? sendOne(providers, message, { sender: senderOf(message), signal })
            : withdrawn(message),
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

/** Who sends a message: an account that may, with the stop that a probe is to end, or none. */
interface Sender {
  readonly account: SendingAccount | Failure | undefined
  readonly stop: StopRow | undefined
}

/** A provider that throws may have sent first: one broken message must not decide for its batch. */
async function sendOne(
  providers: Providers,
  message: Outgoing,
  { sender: { account, stop }, signal }: { sender: Sender; signal: AbortSignal },
): Promise<Answered> {
  if (!account) return refused(ACCOUNT_MISSING)
  if ('code' in account) return retryLater(account, { after: HOLD, charge: false })
  if (stop && stop.probe_message_id !== message.id) return heldAnswer(stop)
  try {
    const provider = providerOf(providers, message.channel)
    const answer = onSchedule(message, await provider.send(message, account, signal))
    return stop ? { ...answer, probed: { account, numberId: stop.number_id } } : answer
  } catch (error) {
    return unknown(error)
  }
}

/** The account of a message was deleted in the moment that the message was queued. */
const ACCOUNT_MISSING = { code: 'ACCOUNT_MISSING', message: 'The account of the message is gone.' }

/** The account waits for a person, and the message for the account: nothing is charged. */
function heldAnswer({ code, reason }: StopRow): Answered {
  const message = `The account is stopped since the provider answered ${code}: ${reason}`
  return retryLater({ code: 'ACCOUNT_STOPPED', message }, { after: HOLD, charge: false })
}

/** A provider that asks for a short wait does not use up the attempts faster than the schedule. */
function onSchedule({ waitMs }: Outgoing, answer: Answered): Answered {
  if (answer.kind !== 'retryLater' || !answer.charge || answer.afterMs === undefined) return answer
  return { ...answer, afterMs: Math.max(answer.afterMs, waitMs) }
}

/** Without an answer about consent and account nothing is sent, and nothing is charged for it. */
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
  const linked = messages.flatMap(({ orgId, dossierId, channel }) =>
    dossierId === null ? [] : [{ orgId, dossierId, channel }],
  )
  if (linked.length === 0) return () => true
  const granted = new Set((await findGranted(db, linked)).map(wordOf))
  return ({ orgId, dossierId, channel }) =>
    dossierId === null || granted.has(wordOf({ orgId, dossierId, channel }))
}

function wordOf({ orgId, dossierId, channel }: ConsentKey): string {
  return JSON.stringify([orgId, dossierId, channel])
}

/** The accounts of a batch as they are now, and which of them are stopped. */
async function findSendersOf(
  { pool, providers, sealing }: OutboundTransportOptions,
  messages: readonly Outgoing[],
): Promise<(message: Outgoing) => Sender> {
  const ids = [...new Set(messages.flatMap(({ accountId }) => accountId ?? []))]
  const named = [...new Set(messages.map(({ accountId, channel }) => accountId ?? channel))]
  const [rows, stops] = await Promise.all([
    ids.length === 0 ? [] : findAccounts(pool, ids),
    findStops(pool, named),
  ])
  const accounts = new Map(rows.map((row) => [row.id, openAccount(sealing, row)]))
  return ({ accountId, channel, to }) => {
    const provider = providerOf(providers, channel)
    const account = accountId === null ? provider.own : accounts.get(accountId)
    if (!account || 'code' in account) return { account, stop: undefined }
    const number = provider.senderFor(to, account)
    const stop = stops.find(
      (each) =>
        each.account_id === account.id &&
        each.credentials === account.credentials &&
        (each.number_id === '' || each.number_id === number),
    )
    return { account, stop }
  }
}

/** What cannot be opened, for want of a key, must not hold up other accounts. */
function openAccount(sealing: Sealing, row: AccountRow): SendingAccount | Failure {
  try {
    return toSendingAccount(sealing, row)
  } catch (error) {
    return failureOf({ code: 'ACCOUNT_UNREADABLE', message: asError(error).message }, '')
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
