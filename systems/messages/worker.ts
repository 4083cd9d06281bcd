import {
  deliverEach,
  refused,
  retryLater,
  unknown,
  type Delivery,
  type Failure,
  type Queryable,
  type Transport,
} from '@posthorn/engine'
import type { Pool } from 'pg'
import type { Sealing } from '@posthorn/system'
import { openAccount, type StopRow } from './accounts/account.ts'
import { findAccounts, findStops } from './accounts/queries.ts'
import { CONSENT_WITHDRAWN } from './attempts.ts'
import { findWithdrawals } from './consents/queries.ts'
import { admitToSessions } from './conversations/session.ts'
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
 * asked once more, since it may have been withdrawn since the message was queued; so are the session
 * of free text, which may have ended, and the account: its credentials as they are now, and whether
 * it may send.
 */
export function outboundTransport(options: OutboundTransportOptions): Transport {
  const { pool, providers } = options
  return {
    takes: 'each',
    async deliver(batch, how) {
      const outgoing = batch.map(outgoingIn)
      const known = await Promise.all([
        findGrantedAmong(pool, outgoing),
        findSendersOf(options, outgoing),
      ]).catch(asError)
      if (known instanceof Error) return outgoing.map(() => unaskedAnswer(known))
      const [granted, senderOf] = known
      const answerFor = async (message: Outgoing): Promise<Answered> => {
        if (!granted(message)) return withdrawn(message)
        const sender = senderOf(message)
        return 'kind' in sender
          ? sender
          : sendOne(providers, message, { sender, signal: how.signal })
      }
      return deliverEach(batch, how, (_, at) => answerFor(outgoing[at] as Outgoing))
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
    return stop
      ? { ...answer, probed: { account, numberId: stop.number_id, byReport: stop.by_report } }
      : answer
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
  const who = dossierId === null ? 'the recipient' : `dossier ${dossierId} or its recipient`
  const message = `${who} has withdrawn consent for ${channel}`
  return retryLater({ code: CONSENT_WITHDRAWN, message }, { after: '1s', charge: false })
}

async function findGrantedAmong(
  db: Queryable,
  messages: readonly Outgoing[],
): Promise<(message: Outgoing) => boolean> {
  const linked = messages.flatMap(({ orgId, dossierId, channel }) =>
    dossierId === null ? [] : [{ orgId, dossierId, channel }],
  )
  const [rows, withdrawals] = await Promise.all([
    linked.length === 0 ? [] : findGranted(db, linked),
    findWithdrawals(
      db,
      messages.map(({ orgId, channel, to: recipient }) => ({ orgId, channel, recipient })),
    ),
  ])
  const granted = new Set(rows.map(wordOf))
  const barred = new Set(messages.filter((_, i) => withdrawals[i] !== undefined))
  return (message) => {
    const { orgId, dossierId, channel } = message
    if (barred.has(message)) return false
    return dossierId === null || granted.has(wordOf({ orgId, dossierId, channel }))
  }
}

function wordOf({ orgId, dossierId, channel }: ConsentKey): string {
  return JSON.stringify([orgId, dossierId, channel])
}

/**
 * Who sends each message, by the accounts and stops of this moment, or the answer for free text whose
 * session has ended.
 */
async function findSendersOf(
  { pool, providers, sealing }: OutboundTransportOptions,
  messages: readonly Outgoing[],
): Promise<(message: Outgoing) => Sender | Answered> {
  const ids = [...new Set(messages.flatMap(({ accountId }) => accountId ?? []))]
  const named = [...new Set(messages.map(({ accountId, channel }) => accountId ?? channel))]
  const admit = await admitToSessions(pool, messages)
  const [rows, stops] = await Promise.all([
    ids.length === 0 ? [] : findAccounts(pool, ids),
    findStops(pool, named),
  ])
  const accounts = new Map(rows.map((row) => [row.id, openAccount(sealing, row)]))
  return (message) => {
    const { accountId, channel, to } = message
    const admission = admit(message)
    if ('answer' in admission) return admission.answer
    const provider = providerOf(providers, channel)
    const found = accountId === null ? provider.own : accounts.get(accountId)
    if (!found || 'code' in found) return { account: found, stop: undefined }
    const { sender: own } = admission
    // A session is the person's with one number.
    const account = own === undefined ? found : { ...found, numberIds: [own] }
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

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
