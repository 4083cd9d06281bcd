import { transaction, type Log, type Outbox, type Transaction } from '@posthorn/engine'
import { raiseAlert, recoverAlert, type PeriodicTask } from '@posthorn/operate'
import type { Pool } from 'pg'
import { recordAudit } from '../audit.ts'
import type { OutboundMessage } from '../message.ts'
import type { Providers, SendingAccount } from '../providers/provider.ts'
import { classOf } from '../providers/whatsapp-errors.ts'
import type { StopRow } from './account.ts'
import {
  beginProbe,
  deleteStops,
  findAccounts,
  findProven,
  findStops,
  listHeld,
  lockDueStops,
  releaseHeld,
  upsertStop,
  type NewStop,
} from './queries.ts'

/** Not the outbox's: the subject of its alerts is a message. */
const ALERTS = 'messages.accounts'

/** Stops accounts that the provider refuses to work with, each with one alert for a person. */
export async function stopSending(tx: Transaction, stops: readonly NewStop[]): Promise<void> {
  const bySubject = new Map(stops.map((stop) => [subjectOf(stop), stop]))
  // In one order, so that two workers cannot wait for each other.
  for (const subject of [...bySubject.keys()].toSorted()) {
    const stop = bySubject.get(subject) as NewStop
    await upsertStop(tx, stop)
    await raiseAlert(tx, {
      source: ALERTS,
      subject,
      ...(stop.orgId !== null && { tenant: stop.orgId }),
      code: stop.code,
      detail: `Nothing is sent until this is mended: ${stop.reason}`,
    })
  }
}

/** An error that WhatsApp reports by webhook, and the account that it is about. */
export interface ReportedError {
  readonly account: SendingAccount
  readonly numberId: string | null
  readonly code: string
  readonly reason: string
  /** The message that met it. */
  readonly probeId: string | null
}

/** Stops what an answer with the same code would stop. */
export async function stopReported(
  tx: Transaction,
  errors: readonly ReportedError[],
): Promise<void> {
  const stops = errors.flatMap(({ account, numberId, ...error }): NewStop[] => {
    const errorClass = classOf(Number(error.code))
    const { id: accountId, orgId, credentials } = account
    const stop = { ...error, accountId, orgId, credentials, byReport: true }
    if (errorClass === 'account') return [{ ...stop, numberId: '' }]
    return errorClass === 'number' && numberId !== null ? [{ ...stop, numberId }] : []
  })
  await stopSending(tx, stops)
}

/** Lets accounts send again of which a report says that the message went that was let through. */
export async function resumeProven(
  tx: Transaction,
  outbox: Outbox<OutboundMessage>,
  messageIds: readonly string[],
): Promise<void> {
  if (messageIds.length === 0) return
  for (const { account_id: accountId, number_id: numberId } of await findProven(tx, messageIds)) {
    const because = 'a message went through'
    await resumeSending(tx, outbox, { accountId, numberId, by: 'WEBHOOK', because })
  }
}

export interface Resumption {
  readonly accountId: string
  /** Of one number alone. */
  readonly numberId?: string
  readonly by: string
  readonly because: string
}

/** Lets an account send again: what waited for it is due at once. Returns whether it was stopped. */
export async function resumeSending(
  tx: Transaction,
  outbox: Outbox<OutboundMessage>,
  { accountId, numberId, by, because }: Resumption,
): Promise<boolean> {
  const ended = await deleteStops(tx, { accountId, ...(numberId !== undefined && { numberId }) })
  for (const stop of ended) {
    const released = await releaseHeld(tx, stop)
    const { account_id, number_id, org_id, code } = stop
    await recoverAlert(tx, {
      source: ALERTS,
      subject: subjectOf({ accountId: account_id, numberId: number_id }),
    })
    if (org_id === null) continue
    const about = { orgId: org_id, entity: 'ACCOUNT', entityId: accountId, actor: by } as const
    const details = `Sending goes on after ${code}: ${because}; ${released} messages waited`
    await recordAudit(tx, [{ ...about, action: 'RESUMED', details }])
  }
  if (ended.length > 0) tx.ringLater(outbox.bell)
  return ended.length > 0
}

function subjectOf({ accountId, numberId }: Pick<NewStop, 'accountId' | 'numberId'>): string {
  return numberId === '' ? accountId : `${accountId} ${numberId}`
}

export interface ProbeOptions {
  readonly outbox: Outbox<OutboundMessage>
  readonly providers: Providers
  readonly log: Log
}

const EVERY_MS = 10_000

/**
 * Looks whether stopped accounts work again: those of the settings whose credentials have changed
 * go on, of the others one message is let through now and then.
 */
export function accountProbes(pool: Pool, options: ProbeOptions): PeriodicTask {
  return {
    name: 'messages.account-probes',
    everyMs: EVERY_MS,
    idleMs: 30_000,
    async step() {
      return (await probeAccounts(pool, options)) ? undefined : 'idle'
    },
  }
}

/** One look; false if no stop was due. */
export async function probeAccounts(pool: Pool, options: ProbeOptions): Promise<boolean> {
  const { outbox, providers, log } = options
  const own = [...providers.values()].map(({ own: account }) => account)
  const changed = (
    await findStops(
      pool,
      own.map(({ id }) => id),
    )
  ).filter((stop) => own.find(({ id }) => id === stop.account_id)?.credentials !== stop.credentials)
  for (const { account_id: accountId } of changed) {
    const because = 'the credentials in the settings have changed'
    await transaction(pool, (tx) =>
      resumeSending(tx, outbox, { accountId, by: 'OUTBOUND_WORKER', because }),
    )
    log.info({ accountId }, 'credentials changed; the account sends again')
  }
  const begun = await transaction(pool, (tx) => beginProbes(tx, options))
  return begun + changed.length > 0
}

async function beginProbes(tx: Transaction, { outbox, providers }: ProbeOptions): Promise<number> {
  const stops = await lockDueStops(tx)
  for (const stop of stops) {
    const message = (await listHeld(tx, stop)).find(await goesBy(tx, providers, stop))
    if (message) await beginProbe(tx, { stop, messageId: message.id })
  }
  if (stops.length > 0) tx.ringLater(outbox.bell)
  return stops.length
}

/** Whether a message would be sent by what is stopped: any of an account, or those of one number. */
async function goesBy(
  tx: Transaction,
  providers: Providers,
  stop: StopRow,
): Promise<(message: { to: string }) => boolean> {
  if (stop.number_id === '') return () => true
  const provider = [...providers.values()].find(({ own }) => own.id === stop.account_id)
  if (provider) return ({ to }) => provider.senderFor(to, provider.own) === stop.number_id
  const whatsapp = providers.get('whatsapp')
  const [account] = await findAccounts(tx, [stop.account_id])
  if (!whatsapp || !account) return () => true
  const numbers: Pick<SendingAccount, 'numberIds'> = { numberIds: account.phone_number_ids }
  return ({ to }) => whatsapp.senderFor(to, numbers) === stop.number_id
}
