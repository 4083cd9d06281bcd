/*
 * The states of a key in an ordered outbox, and every transition between them, as a function;
 * docs/concepts/ordering.md has those that an operator sees. The statements of `relay/settle/held.sql.ts` follow it (each pair of state and
 * event is run through both), and so does the protocol that is explored whole.
 */

/** A key and what it waits for. Times are numbers, in any unit. */
export type HeldKey =
  | { readonly state: 'free' }
  /** Until a time; `by` is the message that made it wait, or what put it here. */
  | { readonly state: 'waiting'; readonly until: number; readonly by: string }
  /** Until every one of these dead messages is dealt with; parked ones take what comes with them. */
  | { readonly state: 'blocked' | 'parked'; readonly by: readonly string[] }

export type KeyEvent =
  /** A message of the key waits. `isOwner`: the relay that says so has just read the key. */
  | {
      readonly event: 'wait'
      readonly id: string
      readonly until: number
      readonly isOwner: boolean
    }
  /** A message is dead, in an outbox that blocks or parks behind it. */
  | { readonly event: 'die'; readonly id: string; readonly to: 'blocked' | 'parked' }
  /** Messages were taken out of the flow, since the key waited when it was read. */
  | { readonly event: 'set aside'; readonly now: number }
  | { readonly event: 'replay'; readonly ids: readonly string[]; readonly until: number }
  | { readonly event: 'cancel'; readonly ids: readonly string[]; readonly now: number }
  | { readonly event: 'unblock'; readonly now: number }
  /** The relay that had messages of the key in flight lost its lease. */
  | { readonly event: 'lose'; readonly now: number }
  /** These dead messages are no longer in the table. */
  | { readonly event: 'miss'; readonly ids: readonly string[]; readonly now: number }
  /** A run of the key is over and left nothing behind. */
  | { readonly event: 'end' }

const FREE: HeldKey = { state: 'free' }

/** What becomes of a key. */
export function nextKey(key: HeldKey, event: KeyEvent): HeldKey {
  switch (event.event) {
    case 'wait':
      if (isStopped(key)) return key
      return waitUntil(
        key.state === 'waiting' && !event.isOwner ? Math.min(key.until, event.until) : event.until,
        event.id,
      )
    case 'die':
      return { state: event.to, by: isStopped(key) ? [...key.by, event.id] : [event.id] }
    case 'set aside':
      return key.state === 'free' ? waitUntil(event.now, 'SET_ASIDE') : key
    case 'replay': {
      if (!isStopped(key)) {
        const until = key.state === 'waiting' ? Math.min(key.until, event.until) : event.until
        return waitUntil(until, 'REPLAYED')
      }
      const rest = key.by.filter((id) => !event.ids.includes(id))
      return rest.length > 0 ? { ...key, by: rest } : waitUntil(event.until, 'REPLAYED')
    }
    case 'cancel': {
      if (key.state === 'free') return key
      if (key.state === 'waiting') {
        return event.ids.includes(key.by) ? { ...key, until: event.now } : key
      }
      return without(key, event)
    }
    case 'unblock':
      return isStopped(key) ? waitUntil(event.now, key.by[0] ?? '') : key
    case 'lose':
      if (isStopped(key)) return key
      return waitUntil(event.now, key.state === 'waiting' ? key.by : 'CLAIM_EXPIRED')
    case 'miss':
      // Seen by maintenance, which lets a key go on only when all are gone.
      if (!isStopped(key)) return key
      return key.by.every((id) => event.ids.includes(id))
        ? waitUntil(event.now, key.by[0] ?? '')
        : key
    case 'end':
      return isStopped(key) ? key : FREE
  }
}

type Stopped = Extract<HeldKey, { by: readonly string[] }>

function isStopped(key: HeldKey): key is Stopped {
  return key.state === 'blocked' || key.state === 'parked'
}

function waitUntil(until: number, by: string): HeldKey {
  return { state: 'waiting', until, by }
}

function without(key: Stopped, { ids, now }: { ids: readonly string[]; now: number }): HeldKey {
  const rest = key.by.filter((id) => !ids.includes(id))
  return rest.length > 0 ? { ...key, by: rest } : waitUntil(now, key.by[0] ?? '')
}
