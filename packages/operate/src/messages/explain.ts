import type { Outbox, Queryable } from '@posthorn/engine'
import { listHeldKeys, listPaused, outboxStats, readClock } from '@posthorn/engine/internal'
import type { MessageDetails } from './messages.ts'

/** Why messages of an outbox are where they are, one sentence for each reason; the first is the nearest. */
export async function explainMessages(
  db: Queryable,
  outbox: Outbox,
  messages: readonly MessageDetails[],
): Promise<string[][]> {
  const ends = messages.map((each) => explainEnd(outbox, each))
  if (!ends.includes(undefined)) return ends.map((end) => [end ?? ''])
  const [stats, pauses, keys, { now, aheadSeconds }] = await Promise.all([
    outboxStats(db, outbox),
    listPaused(db),
    messages.some(({ held }) => held) ? listHeldKeys(db, outbox, { limit: 500 }) : [],
    readClock(db),
  ])
  const pause = pauses.find((each) => each.outbox === outbox.name)
  const realNow = new Date(now.getTime() - aheadSeconds * 1_000)
  return messages.map((details, i) => {
    const end = ends[i]
    if (end !== undefined) return [end]
    const { claimedUntil, dueAt, held, key } = details
    const cause = causeOf(details)
    const reasons: [boolean, string][] = [
      [
        claimedUntil !== undefined && claimedUntil > realNow,
        `A relay is delivering it: its claim holds until ${claimedUntil?.toISOString()}.`,
      ],
      [held, heldText(keys.find((each) => each.key === key))],
      [
        pause !== undefined,
        `The outbox is paused by ${pause?.pausedBy}${pause?.reason === undefined ? '' : `: ${pause.reason}`}.`,
      ],
      [stats.relays === 0, 'No relay was heard of in the last 15 seconds.'],
      [
        dueAt !== undefined && dueAt > now,
        `It is due at ${dueAt?.toISOString()}${cause === undefined ? '' : `, after ${cause}`}.`,
      ],
      [
        stats.stalledSince !== undefined,
        `The outbox has not moved since ${stats.stalledSince?.toISOString()}.`,
      ],
    ]
    const found = reasons.filter(([holds]) => holds).map(([, text]) => text)
    return found.length > 0 ? found : ['It is due: a relay claims it next.']
  })
}

/** Why it goes nowhere by itself; undefined where it waits. */
function explainEnd(outbox: Outbox, details: MessageDetails): string | undefined {
  const { state, archivedAt, quarantinedAt } = details
  const is = (role: keyof Outbox['states']) => state === String(outbox.states[role])
  const cause = causeOf(details) ?? 'no cause is kept'
  if (archivedAt) return `It finished as ${state} and was archived at ${archivedAt.toISOString()}.`
  if (quarantinedAt) return `It was set aside: ${cause}. Replay it when the cause is gone.`
  if (is('dead')) return `It is a dead letter: ${cause}. Replay it when the cause is gone.`
  if (is('sent') && outbox.states.confirmed !== undefined) {
    return 'It was sent. The confirmation from the outside has not come yet.'
  }
  if (is('sent') || is('confirmed')) return `It was delivered: its state is ${state}.`
  return is('cancelled') ? 'It was cancelled.' : undefined
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

/** What went wrong last; an open breaker counts no attempt and leaves its error. */
function causeOf({ attempts, errorCode, error }: MessageDetails): string | undefined {
  const cause = [errorCode, error].filter((part) => part !== undefined).join(', ')
  if (attempts === 0) return cause === '' ? undefined : cause
  const count = `${attempts} failed ${attempts === 1 ? 'attempt' : 'attempts'}`
  return `${count}${cause === '' ? '' : `, the last with ${cause}`}`
}
