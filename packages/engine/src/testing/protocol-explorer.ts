import type { Claim } from '../relay/settle/claim.ts'
import type { Decision } from '../relay/settle/decide.ts'
import { planLogPart, planPart, type Part } from '../relay/key/busy-keys.ts'
import { attemptableRows, type KeyPlan } from '../relay/settle/key-plan.ts'
import type { Settlement } from '../relay/settle/settlement.ts'
import type { Outbox } from '../outbox/define.ts'
import type { OutboxRow } from '../outbox/resolved-definition.ts'
import { delivered } from '../outbox/outcome.ts'
import type { HeldKey, KeyEvent } from './held-key-model.ts'
import {
  brokenIn,
  decisionOf,
  KEYS,
  isInFlow,
  openRows,
  orderBroken,
  parkTail,
  possibleOutcomes,
  readFlow,
  readHeld,
  RULES,
  take,
  type Budget,
  type Busy,
  type Hand,
  type Message,
  type Outcome,
  type Rules,
  type World,
} from './protocol-world.ts'

/*
 * The protocol of claims by key and from a log, small enough to be explored whole: two relays, one bucket, two keys, four
 * messages. Leases, tokens, runs and their notes are modelled here; what a run means for its messages and
 * keys is decided by the engine's own `attemptableRows` and `planPart`, and what becomes of a key by
 * `nextKey`, which the statements are tested against. Every state that any order of moves can lead to is
 * visited once, and the promises of docs/concepts/guarantees.md are checked in each.
 */

export interface Found {
  readonly states: number
  /** The first promise that was broken, with the moves that led there. */
  readonly broken: { readonly promise: string; readonly moves: readonly string[] } | undefined
}

export interface Kept {
  readonly dead: 'block' | 'skip' | 'park'
  readonly log?: boolean
}

/** Visits every state that can be reached. */
export function explore({ dead, log }: Kept, budget: Budget, rules = RULES): Found {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what planning reads of an outbox
  const outbox = {
    order: { key: 'key', dead },
    columns: { id: 'id' },
    ...(log && { log }),
  } as unknown as Outbox
  const start: World = {
    messages: KEYS.map(() => ({
      status: 'ready',
      held: false,
      parked: false,
      due: 0,
      lost: 0,
      counted: 0,
      failed: 0,
      arrived: false,
    })),
    keys: [{ state: 'free' }, { state: 'free' }],
    versions: [0, 0],
    isExpired: true,
    run: 0,
    noted: [],
    relays: [
      { token: 'none', hand: undefined, busy: [] },
      { token: 'none', hand: undefined, busy: [] },
    ],
    left: budget,
  }
  const first = JSON.stringify(start)
  const seen = new Map<string, { from: string | undefined; move: string }>()
  seen.set(first, { from: undefined, move: 'start' })
  const queue = [first]
  for (let state = queue.pop(); state !== undefined; state = queue.pop()) {
    for (const { move, world, promise } of new Moves(outbox, rules, state).all()) {
      const after = JSON.stringify(normal(world))
      const isNew = !seen.has(after)
      if (isNew) seen.set(after, { from: state, move })
      if (promise)
        return { states: seen.size, broken: { promise, moves: pathTo(seen, state, move) } }
      if (isNew) queue.push(after)
    }
  }
  return { states: seen.size, broken: undefined }
}

function pathTo(
  seen: ReadonlyMap<string, { from: string | undefined; move: string }>,
  state: string,
  last: string,
): string[] {
  const moves = [last]
  for (let at = seen.get(state); at; at = at.from === undefined ? undefined : seen.get(at.from)) {
    moves.unshift(at.move)
  }
  return moves
}

/** Two states that only differ in how they count are one. */
function normal(world: World): World {
  for (const relay of world.relays) {
    if (relay.hand) relay.hand.run -= world.run
    if (relay.hand && relay.token !== 'ours') relay.hand.run = 0
  }
  world.run = 0
  world.keys.forEach((key, k) => {
    const read = world.relays.some(({ hand, busy }) =>
      [...(hand?.rows ?? []), ...busy.flatMap(({ rows }) => rows)].some(
        (row) => row['claim_version'] != null,
      ),
    )
    if (!read || key.state === 'free') world.versions[k] = 0
  })
  return world
}

interface Step {
  readonly move: string
  readonly world: World
  readonly promise: string | undefined
}

const LATE = 'One owner at a time: an outcome was written behind a takeover'

/** Everything that can happen in one state. */
class Moves {
  readonly #outbox: Outbox
  readonly #rules: Rules
  readonly #state: string
  readonly #steps: Step[] = []

  constructor(outbox: Outbox, rules: Rules, state: string) {
    this.#outbox = outbox
    this.#rules = rules
    this.#state = state
  }

  all(): Step[] {
    const now = JSON.parse(this.#state) as World
    for (const r of [0, 1] as const) {
      const { token, hand } = now.relays[r]
      if (now.isExpired && token !== 'ours')
        this.#try(`${r} takes the lease`, (w) => take(this.#rules, w, r))
      if (!hand && token === 'ours' && !now.isExpired) {
        this.#try(`${r} reads the flow`, (w) => readFlow(this.#rules, w, r))
        this.#try(`${r} reads a waiting key`, (w) => readHeld(this.#rules, w, r))
      }
      if (hand && !hand.outcomes) {
        const rows = this.#attempted(hand)
        for (const outcomes of possibleOutcomes(rows, now.left)) {
          this.#try(`${r} delivers: ${outcomes.join(', ')}`, (w) => this.#attempt(w, r, outcomes))
        }
      }
      if (hand?.outcomes) {
        this.#try(`${r} settles`, (w) => this.#settle(w, r))
        if (now.left.lostAnswers > 0) {
          this.#try(`${r} settles and the answer is lost`, (w) => {
            w.left.lostAnswers -= 1
            return this.#settle(w, r, 'again')
          })
        }
      }
      this.#slow(now, r)
      if (token === 'ours' && !now.isExpired && now.left.expiries > 0) {
        this.#try(`the lease of ${r} runs out`, (w) => {
          w.left.expiries -= 1
          w.isExpired = true
        })
      }
    }
    this.#outside(now)
    return this.#steps
  }

  /** What becomes of a slow message; its outcome is written while no run of its bucket is in hand. */
  #slow(now: World, r: 0 | 1): void {
    const { hand, busy } = now.relays[r]
    for (const [b, { rows, outcome: ended }] of busy.entries()) {
      const slow = `what is slow of ${r}, key ${String(rows[0]?.['key'])}`
      const outcomes: Outcome[] = ['delivered']
      if (now.left.failures > 0) outcomes.push('failed')
      if (now.left.refusals > 0) outcomes.push('refused')
      for (const outcome of ended ? [] : outcomes) {
        this.#try(`${slow} ends: ${outcome}`, (w) => this.#endSlow(w, r, { b, outcome }))
      }
      if (!ended || hand) continue
      this.#try(`${slow} is settled`, (w) => {
        const [settled] = w.relays[r].busy.splice(b, 1)
        return this.#settleSlow(w, settled as Busy)
      })
      if (now.left.lostAnswers === 0) continue
      this.#try(`${slow} is settled and the answer is lost`, (w) => {
        w.left.lostAnswers -= 1
        return this.#settleSlow(w, w.relays[r].busy[b] as Busy)
      })
    }
  }

  /** Behind one that was delivered the rest of its key follows; behind another it does not. */
  #endSlow(
    world: World,
    r: 0 | 1,
    { b, outcome }: { b: number; outcome: Outcome },
  ): string | undefined {
    const busy = world.relays[r].busy[b] as Busy
    busy.outcome = outcome
    const outcomes = busy.rows.map((_, i) => (i === 0 ? outcome : 'delivered'))
    return this.#arrive(world, r, { rows: busy.rows, outcomes })
  }

  #settleSlow(world: World, busy: Busy): string | undefined {
    const [first] = busy.rows as [OutboxRow]
    const { counted } = world.messages[Number(first['id'])] as Message
    const fits = { ofRow: Number(first['counted']), now: counted }
    if (!this.#rules.guardsBusy(busy, fits)) return undefined
    if (busy.isLost) return LATE
    const ended = busy.outcome === 'delivered' ? busy.rows : [first]
    const settlements = ended.map((row): Settlement => {
      const decision = decisionOf(busy.outcome ?? 'failed')
      return { row, outcome: delivered(), decision }
    })
    const claim = { rows: busy.rows } as unknown as Claim
    this.#write(world, planPart(this.#outbox, claim, { settlements, open: [] }))
    return undefined
  }

  /** The clock, the operator and the consumer. */
  #outside(now: World): void {
    const waits = now.messages.some(({ due }) => due > 0)
    if (waits || now.keys.some((key) => key.state === 'waiting' && key.until > 0)) {
      this.#try('time passes', (w) => {
        w.messages.forEach((message) => void (message.due = 0))
        w.keys = w.keys.map((key) => (key.state === 'waiting' ? { ...key, until: 0 } : key))
      })
    }
    now.messages.forEach(({ status, arrived }, m) => {
      if (status === 'dead' && now.left.replays > 0) {
        this.#try(`${m} is replayed`, (w) => {
          w.left.replays -= 1
          Object.assign(w.messages[m] as Message, {
            status: 'ready',
            held: true,
            parked: false,
            lost: 0,
            due: 0,
          })
          this.#key(w, m, { event: 'replay', ids: [String(m)], until: 0 })
        })
      }
      if (status === 'sent' && arrived && now.left.confirmations > 0) {
        for (const outcome of ['failed', 'refused'] as const) {
          this.#try(`${m} is confirmed as ${outcome}`, (w) => {
            w.left.confirmations -= 1
            this.#confirm(w, m, outcome)
          })
        }
      }
    })
  }

  #try(move: string, change: (world: World) => string | undefined | void): void {
    const world = JSON.parse(this.#state) as World
    const broken = change(world) as string | undefined
    this.#steps.push({ move, world, promise: broken ?? brokenIn(world) })
  }

  #key(world: World, m: number, event: KeyEvent): void {
    const k = KEYS[m] as number
    const before = world.keys[k] as HeldKey
    world.keys[k] = this.#rules.next(before, event)
    world.versions[k] = (world.versions[k] ?? 0) + 1
  }

  #attempted({ rows }: Hand): OutboxRow[] {
    return attemptableRows(this.#outbox, rows).map((i) => rows[i] as OutboxRow)
  }

  #attempt(world: World, r: 0 | 1, outcomes: Outcome[]): string | undefined {
    const hand = world.relays[r].hand as Hand
    const rows = this.#attempted(hand)
    hand.outcomes = outcomes
    const open = rows.filter((_, i) => outcomes[i] === 'open')
    world.left.slow -= new Set(open.map((row) => row['key'])).size
    return this.#arrive(world, r, { rows, outcomes })
  }

  #arrive(
    world: World,
    r: 0 | 1,
    { rows, outcomes }: { rows: readonly OutboxRow[]; outcomes: readonly Outcome[] },
  ): string | undefined {
    const stopped = new Set<unknown>()
    for (const [i, row] of rows.entries()) {
      if (stopped.has(row['key'])) continue
      // Another relay's message goes out again at worst.
      const isBegun = world.relays[r].busy.some(
        (each) => !each.isLost && !each.outcome && each.rows[0]?.['key'] === row['key'],
      )
      if (isBegun) return 'Order per key, if asked for: beside a slow message'
      const message = world.messages[Number(row['id'])] as Message
      if (outcomes[i] === 'delivered') {
        const broken = orderBroken(world, row, this.#outbox.order?.dead)
        message.arrived = true
        if (broken) return broken
        continue
      }
      stopped.add(row['key'])
      if (outcomes[i] === 'open') continue
      message.failed += 1
      if (outcomes[i] === 'failed') world.left.failures -= 1
      else world.left.refusals -= 1
    }
    return undefined
  }

  #settle(world: World, r: 0 | 1, then?: 'again'): string | undefined {
    const relay = world.relays[r]
    const hand = relay.hand as Hand
    if (then !== 'again') relay.hand = undefined
    if (relay.token === 'stale') relay.token = 'none'
    const isOurs = this.#rules.guards(relay, { ofHand: hand.run, ofLease: world.run })
    if (isOurs && relay.token !== 'ours') return LATE
    const attempted = this.#attempted(hand)
    const stopped = new Set<unknown>()
    const settlements = attempted.flatMap((row, i): Settlement[] => {
      const outcome = stopped.has(row['key']) ? 'failed' : (hand.outcomes?.[i] ?? 'failed')
      if (hand.outcomes?.[i] === 'open') return []
      if (outcome !== 'delivered') stopped.add(row['key'])
      return [{ row, outcome: delivered(), decision: decisionOf(outcome) }]
    })
    const open = attempted.filter((_, i) => hand.outcomes?.[i] === 'open')
    if (isOurs) {
      this.#endRun(world, hand, { settlements, open })
      world.noted = [...open, ...openRows(relay)].map((row) => Number(row['id']))
      if (this.#outbox.log !== undefined && hand.rows.some((row) => isInFlow(world, row)))
        return 'nothing that committed is lost: behind the cursor, and in no exception'
    }
    if (open.length === 0 || then === 'again') return undefined
    const isLost = relay.token !== 'ours'
    for (const rows of Map.groupBy(open, (row) => row['key']).values()) {
      relay.busy.push({ rows, outcome: undefined, isLost })
    }
    return undefined
  }

  /** In a log messages that are still open wait with the others of their key. */
  #endRun(world: World, hand: Hand, part: Part): void {
    world.run = hand.run + 1
    world.isExpired = false
    const claim = { rows: hand.rows } as unknown as Claim
    const plan = this.#outbox.log === undefined ? planPart : planLogPart
    this.#write(world, plan(this.#outbox, claim, part))
    if (this.#outbox.log === undefined) return
    for (const row of part.open) {
      row['held'] = true
      row['claim_version'] = String(world.versions[KEYS[Number(row['id'])] as number])
    }
  }

  #write(world: World, plan: KeyPlan): void {
    for (const { row, decision } of plan.settlements) {
      const message = world.messages[Number(row['id'])] as Message
      // What an operator has changed meanwhile stays as it is.
      if (message.status === 'ready') this.#become(message, decision)
    }
    for (const { key, heldBy, delayMs, tail, version } of plan.holds) {
      const k = Number(key)
      const isOwner = version !== undefined && Number(version) === world.versions[k]
      const m = KEYS.indexOf(k)
      if (delayMs === undefined) {
        this.#key(world, m, {
          event: 'die',
          id: heldBy,
          to: tail === 'park' ? 'parked' : 'blocked',
        })
      } else this.#key(world, m, { event: 'wait', id: heldBy, until: delayMs, isOwner })
    }
    for (const { id } of plan.aside) {
      const message = world.messages[Number(id)] as Message
      if (message.status !== 'ready') continue
      message.held = true
      this.#key(world, Number(id), { event: 'set aside', now: 0 })
    }
    for (const { key } of plan.parks) parkTail(world, Number(key))
    for (const { key, version } of plan.frees) {
      const k = Number(key)
      const isLeft = world.messages.some((m, i) => KEYS[i] === k && m.status === 'ready' && m.held)
      const m = KEYS.indexOf(k)
      if (Number(version) === world.versions[k] && !isLeft) this.#key(world, m, { event: 'end' })
    }
  }

  #become(message: Message, { role, delayMs, bump, failure }: Decision): void {
    message.parked = failure?.code === 'PARKED'
    message.counted += bump
    message.lost = 0
    if (role === 'sent') Object.assign(message, { status: 'sent', held: false })
    else if (role === 'dead') Object.assign(message, { status: 'dead', held: false })
    else Object.assign(message, { held: true, due: delayMs ?? 0 })
  }

  #confirm(world: World, m: number, outcome: 'failed' | 'refused'): void {
    const message = world.messages[m] as Message
    message.failed += 1
    message.counted += 1
    if (outcome === 'failed') {
      Object.assign(message, { status: 'ready', held: true, due: 1 })
      this.#key(world, m, { event: 'wait', id: String(m), until: 1, isOwner: false })
      if (world.keys[KEYS[m] as number]?.state === 'parked') parkTail(world, KEYS[m] as number)
      return
    }
    Object.assign(message, { status: 'dead', held: false })
    const dead = this.#outbox.order?.dead
    if (dead === 'skip') return
    const to = dead === 'park' ? 'parked' : 'blocked'
    this.#key(world, m, { event: 'die', id: String(m), to })
    if (to === 'parked') parkTail(world, KEYS[m] as number)
  }
}
