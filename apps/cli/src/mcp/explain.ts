import type { Outbox } from '@posthorn/engine'
import {
  listHeldKeys,
  listPaused,
  outboxStats,
  readClock,
  type MessageDetails,
} from '@posthorn/operate'
import type { Session } from '../session.ts'

/** Why a message is where it is, one sentence for each reason; the first is the nearest. */
export async function explainMessage(
  { db }: Pick<Session, 'db'>,
  outbox: Outbox,
  details: MessageDetails,
): Promise<string[]> {
  const { state, archivedAt, quarantinedAt, claimedUntil, dueAt, held, key } = details
  const is = (role: keyof Outbox['states']) => state === String(outbox.states[role])
  if (archivedAt)
    return [`It finished as ${state} and was archived at ${archivedAt.toISOString()}.`]
  if (quarantinedAt)
    return [`It was set aside: ${causeOf(details)}. Replay it when the cause is gone.`]
  if (is('dead')) {
    return [`It is a dead letter: ${causeOf(details)}. Replay it when the cause is gone.`]
  }
  if (is('sent') && outbox.states.confirmed !== undefined) {
    return ['It was sent. The confirmation from the outside has not come yet.']
  }
  if (is('sent') || is('confirmed')) return [`It was delivered: its state is ${state}.`]
  if (is('cancelled')) return ['It was cancelled.']
  const [stats, pauses, keys, { now }] = await Promise.all([
    outboxStats(db, outbox),
    listPaused(db),
    held ? listHeldKeys(db, outbox, { limit: 500 }) : [],
    readClock(db),
  ])
  const pause = pauses.find((each) => each.outbox === outbox.name)
  const holder = keys.find((each) => each.key === key)
  const isClaimed = claimedUntil !== undefined && claimedUntil > now
  const reasons: [boolean, string][] = [
    [isClaimed, `A relay is delivering it: its claim holds until ${claimedUntil?.toISOString()}.`],
    [held, heldText(holder)],
    [
      pause !== undefined,
      `The outbox is paused by ${pause?.pausedBy}${pause?.reason === undefined ? '' : `: ${pause.reason}`}.`,
    ],
    [stats.relays === 0, 'No relay was heard of in the last 15 seconds.'],
    [
      dueAt !== undefined && dueAt > now,
      `It is due at ${dueAt?.toISOString()}${details.attempts > 0 ? `, after ${causeOf(details)}` : ''}.`,
    ],
    [
      stats.stalledSince !== undefined,
      `The outbox has not moved since ${stats.stalledSince?.toISOString()}.`,
    ],
  ]
  const found = reasons.filter(([holds]) => holds).map(([, text]) => text)
  return found.length > 0 ? found : [`It is due. ${stats.due} messages of its outbox are.`]
}

function heldText(holder: Awaited<ReturnType<typeof listHeldKeys>>[number] | undefined): string {
  const behind = 'It waits behind an earlier message of its key'
  if (holder === undefined) return `${behind}.`
  const until =
    holder.dueAt === undefined
      ? 'which needs an operator'
      : `which is tried again at ${holder.dueAt.toISOString()}`
  return `${behind}, ${holder.heldBy}, ${until}.`
}

function causeOf({ attempts, errorCode, error }: MessageDetails): string {
  const cause = [errorCode, error].filter((part) => part !== undefined).join(', ')
  return `${attempts} failed attempts${cause === '' ? '' : `, the last with ${cause}`}`
}
