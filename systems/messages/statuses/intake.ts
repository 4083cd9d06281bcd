import {
  confirm,
  delivered,
  refused,
  type Confirmation,
  type Log,
  type Outbox,
  type Transaction,
} from '@posthorn/engine'
import { createBell, type Sealing } from '@posthorn/system'
import { openAccount } from '../accounts/account.ts'
import { findAccounts } from '../accounts/queries.ts'
import { resumeProven, stopReported, type ReportedError } from '../accounts/stops.ts'
import { recordActivities, recordAudit, type Activity, type AuditEvent } from '../audit.ts'
import { learnNumbers, withdrawOptedOut, type Refusal } from '../consents/recipient-consent.ts'
import type { OutboundMessage, MessageState } from '../message.ts'
import type { Providers } from '../providers/provider.ts'
import {
  fileReports,
  findSubjects,
  lockMessages,
  markSent,
  recordTimes,
  type Filed,
  type LockedMessage,
  type ReportedTimes,
  type SentReport,
} from './queries.ts'
import { keyOf, type Report } from './report.ts'

/**
 * What a report does to a message: takes it there, is written down only, came too late (and is
 * written down as that), or says nothing new.
 */
type Move = 'SENT' | 'DELIVERED' | 'FAILED' | 'noted' | 'late' | 'nothing'

/** Never from FAILED or CANCELLED, never down from DELIVERED; otherwise as the provider says. */
const MOVES: Readonly<Record<MessageState, Readonly<Record<Report['status'], Move>>>> = {
  QUEUED: { sent: 'SENT', delivered: 'DELIVERED', read: 'DELIVERED', failed: 'FAILED' },
  SENDING: { sent: 'SENT', delivered: 'DELIVERED', read: 'DELIVERED', failed: 'FAILED' },
  SENT: { sent: 'noted', delivered: 'DELIVERED', read: 'DELIVERED', failed: 'FAILED' },
  DELIVERED: { sent: 'nothing', delivered: 'noted', read: 'noted', failed: 'late' },
  FAILED: { sent: 'late', delivered: 'late', read: 'late', failed: 'nothing' },
  CANCELLED: { sent: 'late', delivered: 'late', read: 'late', failed: 'nothing' },
}

/** A failure of an earlier attempt is no news: the message has been tried again since. */
const OF_AN_EARLIER_ATTEMPT: Readonly<Record<Report['status'], Move | undefined>> = {
  sent: 'nothing',
  failed: 'late',
  // However it got there, it got there.
  delivered: undefined,
  read: undefined,
}

function moveOf(state: MessageState, report: Report, { isEarlier }: { isEarlier: boolean }): Move {
  const move = MOVES[state][report.status]
  return isEarlier ? (OF_AN_EARLIER_ATTEMPT[report.status] ?? move) : move
}

/** What a series of reports makes of a message, step by step. */
interface Course {
  readonly state: MessageState
  readonly steps: readonly { readonly report: Report; readonly move: Move }[]
}

function courseOf(
  start: MessageState,
  reports: readonly { report: Report; isEarlier: boolean }[],
): Course {
  let state = start
  const steps = reports.map(({ report, isEarlier }) => {
    const move = moveOf(state, report, { isEarlier })
    if (move === 'SENT' || move === 'DELIVERED' || move === 'FAILED') state = move
    return { report, move }
  })
  return { state, steps }
}

/** What the intake works on. */
export interface Intake {
  readonly providers: Providers
  readonly sealing: Sealing
  readonly outbox: Outbox<OutboundMessage>
  readonly log: Log
}

/** Rings when this process has parked a report. */
export const parkedBell = createBell()

export interface Reports {
  readonly reports: readonly Report[]
  /** Whose messages these may be; undefined where the messages themselves say so. */
  readonly orgId: string | undefined
  /** What to do with reports of messages that a worker has locked. */
  readonly busy: 'leave' | 'park'
}

const ACTOR = 'WEBHOOK'

/**
 * Takes in what a provider reports: any order, any number of times, known messages or not. Returns
 * the reports that were left for later.
 */
export async function takeReports(
  tx: Transaction,
  intake: Intake,
  { reports, orgId, busy }: Reports,
): Promise<Report[]> {
  if (reports.length === 0) return []
  const found = await place(tx, intake, { reports, orgId })
  const messages = await lockMessages(tx, [
    ...new Set(found.flatMap((each) => each.messageId ?? [])),
  ])
  const locked = new Set(messages.map(({ id }) => id))
  const isBusy = ({ messageId }: Filed) => messageId !== null && !locked.has(messageId)
  const left = busy === 'leave' ? found.filter(isBusy) : []
  const filed = found
    .filter((each) => !left.includes(each))
    .map((each) => (isBusy(each) ? { ...each, messageId: null } : each))
  if (filed.some(({ messageId }) => messageId === null)) tx.ringLater(parkedBell)
  const byMessage = await freshReports(tx, filed)
  const courses = messages.map((message) => ({
    message,
    ...courseFor(message, byMessage.get(message.id) ?? []),
  }))
  await follow(tx, intake.outbox, courses)
  await stopReported(tx, await errorsOf(tx, intake, courses))
  await resumeProven(tx, intake.outbox, courses.flatMap(provenBy))
  return left.map(({ report }) => report)
}

/** Files reports, and gives those that were not known before to their messages. */
async function freshReports(
  tx: Transaction,
  filed: readonly Filed[],
): Promise<ReadonlyMap<string, Report[]>> {
  const byMessage = new Map<string, Report[]>()
  if (filed.length === 0) return byMessage
  const fresh = new Set((await fileReports(tx, filed)).map(keyOf))
  for (const { report, messageId } of filed) {
    if (messageId === null || !fresh.has(keyOf(report))) continue
    byMessage.set(messageId, [...(byMessage.get(messageId) ?? []), report])
  }
  return byMessage
}

/** Finds the reports' messages; those of another organisation are left out. */
async function place(
  tx: Transaction,
  { log }: Intake,
  { reports, orgId }: Pick<Reports, 'reports' | 'orgId'>,
): Promise<Filed[]> {
  const subjects = new Map(
    (await findSubjects(tx, reports)).map((subject) => [keyOf(subject), subject]),
  )
  return reports.flatMap((report): Filed[] => {
    const subject = subjects.get(keyOf(report))
    const { providerMessageId, status } = report
    if (subject && orgId !== undefined && subject.org_id !== orgId) {
      log.warn({ providerMessageId, status, orgId }, "a status of another organisation's message")
      return []
    }
    return [{ report, messageId: subject?.message_id ?? null, orgId: orgId ?? null }]
  })
}

function courseFor(message: LockedMessage, reports: readonly Report[]): Course {
  return courseOf(
    message.status,
    reports.map((report) => ({ report, isEarlier: isOfEarlierAttempt(message, report) })),
  )
}

/** By the number that came back with the report; without one, by the provider's ids. */
function isOfEarlierAttempt(message: LockedMessage, report: Report): boolean {
  const { provider_message_id: current, earlier_ids: earlier } = message
  const { providerMessageId: id, attemptNo } = report
  if (id === current) return false
  if (attemptNo === null) return current !== null || earlier.includes(id)
  // Queued anew by hand, all its attempts are over.
  const isAnew = message.status === 'QUEUED' && message.attempt_count === 0
  return isAnew || attemptNo < message.attempt_no || earlier.includes(id)
}

type Followed = Course & { readonly message: LockedMessage }

async function follow(
  tx: Transaction,
  outbox: Outbox<OutboundMessage>,
  courses: readonly Followed[],
): Promise<void> {
  const sent = courses.flatMap(firstSent)
  if (sent.length > 0) await markSent(tx, sent)
  const confirmations = courses.flatMap(confirmationOf)
  if (confirmations.length > 0) await confirm(tx, outbox, confirmations, { by: ACTOR })
  const times = courses.flatMap(timesOf)
  if (times.length > 0) await recordTimes(tx, times)
  await recordAudit(tx, courses.flatMap(auditOf))
  await recordActivities(tx, courses.flatMap(activitiesOf))
  await withdrawOptedOut(tx, outbox, courses.flatMap(refusalsOf))
  await learnNumbers(tx, outbox, courses.flatMap(peopleOf))
}

/** Errors by which messages failed, with the accounts that sent them. */
async function errorsOf(
  tx: Transaction,
  { providers, sealing }: Intake,
  courses: readonly Followed[],
): Promise<ReportedError[]> {
  const failed = courses.flatMap(({ message, steps }) =>
    steps.flatMap(({ report, move }) => (move === 'FAILED' ? [{ message, report }] : [])),
  )
  const ids = failed.flatMap(({ message }) => message.account_id ?? [])
  const rows = ids.length === 0 ? [] : await findAccounts(tx, ids)
  const own = providers.get('whatsapp')?.own
  return failed.flatMap(({ message, report }) => {
    const row = rows.find(({ id }) => id === message.account_id)
    const account = row ? openAccount(sealing, row) : own
    // Of an account that cannot be opened nothing is sent as it is.
    if (!account || 'code' in account || (message.account_id !== null && !row)) return []
    const { errorCode, errorMessage, numberId = null } = report
    const error = { code: errorCode ?? '', reason: errorMessage ?? '', probeId: message.id }
    return [{ account, numberId, ...error }]
  })
}

/** Messages of which a report says that WhatsApp has sent them on. */
function provenBy({ message, steps }: Followed): string[] {
  const isProven = steps.some(
    ({ report, move }) => report.status !== 'failed' && move !== 'late' && move !== 'nothing',
  )
  return isProven ? [message.id] : []
}

function peopleOf({ message, steps }: Followed) {
  const { id: entityId, org_id: orgId, to_recipient: recipient } = message
  const person = { orgId, recipient, entity: 'OUTBOUND_MESSAGE', entityId } as const
  return steps.map(({ report }) => ({ ...person, userId: report.userId ?? null }))
}

/** A message that was read has arrived, also where no report said so. */
function timesOf({ message, steps }: Followed): ReportedTimes[] {
  const first = (...words: readonly Report['status'][]): string | null =>
    steps
      .flatMap(({ report, move }) =>
        move !== 'late' && words.includes(report.status) ? (report.at ?? []) : [],
      )
      .toSorted()[0] ?? null
  const [sentAt, deliveredAt, readAt] = [first('sent'), first('delivered', 'read'), first('read')]
  if (sentAt === null && deliveredAt === null) return []
  return [{ id: message.id, sentAt, deliveredAt, readAt }]
}

/** Also those of a message that ended otherwise: what they say of the person is true all the same. */
function refusalsOf({ message, steps }: Followed): Refusal[] {
  const { id: messageId, org_id: orgId, channel, to_recipient: recipient } = message
  return steps.map(({ report }) => ({
    ...{ messageId, orgId, channel, recipient },
    code: report.errorCode,
  }))
}

/** The report by which a message turns out to be with the provider. */
function firstSent({ message, steps }: Followed): SentReport[] {
  const report = isOnItsWay(message) && steps.find(({ move }) => isState(move))?.report
  if (!report) return []
  const { providerMessageId, attemptNo } = report
  return [{ id: message.id, providerMessageId, attemptNo: attemptNo ?? message.attempt_no }]
}

function confirmationOf({ message, state, steps }: Followed): Confirmation[] {
  const last = steps.findLast(({ move }) => move === state)
  if (state === message.status || !last) return []
  if (state === 'DELIVERED') return [{ id: message.id, outcome: delivered() }]
  if (state !== 'FAILED') return []
  const { errorCode: code, errorMessage: reason } = last.report
  return [{ id: message.id, outcome: refused({ code, message: reason }) }]
}

function auditOf({ message, steps }: Followed): AuditEvent[] {
  const { id: entityId, org_id: orgId } = message
  const event = { orgId, entity: 'OUTBOUND_MESSAGE', entityId, actor: ACTOR } as const
  const begins = firstSent({ message, steps, state: message.status }).map((): AuditEvent => ({
    ...event,
    action: 'SENT',
    details: 'Message sent successfully',
  }))
  const reported = steps.flatMap(({ report, move }): AuditEvent[] => {
    const { status, errorCode, errorMessage } = report
    if (move === 'nothing') return []
    if (move !== 'late') {
      return [{ ...event, action: 'UPDATED', details: `Delivery status updated to: ${status}` }]
    }
    const why = status === 'failed' ? ` (${errorCode}: ${errorMessage})` : ''
    return [
      { ...event, action: 'IGNORED', details: `Delivery status came too late: ${status}${why}` },
    ]
  })
  return [...begins, ...reported]
}

function activitiesOf({ message, steps }: Followed): Activity[] {
  const { org_id: orgId, dossier_id: dossierId } = message
  const metadata = { messageId: message.id, channel: message.channel }
  const begins = firstSent({ message, steps, state: message.status }).map(
    ({ providerMessageId }): Activity => ({
      ...{ orgId, dossierId, type: 'MESSAGE_SENT' },
      metadata: { ...metadata, providerMessageId },
    }),
  )
  const reported = steps
    .filter(({ move }) => move === 'noted' || isState(move))
    .map(({ report }): Activity => ({
      ...{ orgId, dossierId, type: 'MESSAGE_STATUS_UPDATE' },
      metadata: {
        ...metadata,
        status: report.status,
        ...(report.errorCode !== null && { errorCode: report.errorCode }),
      },
    }))
  return [...begins, ...reported]
}

function isOnItsWay({ status }: LockedMessage): boolean {
  return status === 'QUEUED' || status === 'SENDING'
}

function isState(move: string): boolean {
  return move === 'SENT' || move === 'DELIVERED' || move === 'FAILED'
}
