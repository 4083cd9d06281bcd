import type { Duration, Message, RetryPolicy, Transaction } from '@posthorn/engine'
import type { Stored } from './stored.ts'

/** An event that a step sends; it goes out if and only if the step's transaction commits. */
export interface EventInit {
  readonly type: string
  readonly payload: unknown
  /** Default: the topic of the saga's outbox. */
  readonly topic?: string
  /** Events with one key go out in their order. Default: the saga's id. */
  readonly key?: string
}

/** What a step did: data that later steps find in their context, and events. */
export interface Effect<Data extends object> {
  /** Stored as JSON: a Date comes back as its text, as the types say. */
  readonly data?: Data
  readonly events?: readonly EventInit[]
  /** From here on the saga is found by this as well, such as by the reference that a gateway gave. */
  readonly key?: string
}

/** A step's answer "no": nothing was done and no retry can help. Made by `refuse`. */
export interface Refusal {
  readonly refused: { readonly code: string; readonly message: string }
}

/** Says that a step did nothing and never will: the saga compensates the steps before it. */
export function refuse(code: string, message: string): Refusal {
  return { refused: { code, message } }
}

/** What a step knows about the attempt it is in. */
export interface StepRun {
  readonly sagaId: string
  readonly step: string
  readonly tenant: string | undefined
  /** 1 for the first. After a crash the same attempt may be made again. */
  readonly attempt: number
  /** The same for every attempt of this step: for calls to the outside. Its undoing has another. */
  readonly idempotencyKey: string
  /** Aborted when the step's time is over or the claim on the saga is lost. */
  readonly signal: AbortSignal
}

/** The same for a step that waited for a reply. */
export interface ReplyRun extends StepRun {
  readonly reply: Reply
}

/** The same for a step that waited for a signal. */
export interface SignalRun<Payload> extends StepRun {
  readonly received: { readonly id: string; readonly payload: Stored<Payload> }
}

/** What is kept of a reply. */
export type Reply = Pick<Message, 'id' | 'type' | 'payload' | 'headers'>

interface Trying {
  /** How often the action is tried before the saga compensates. Default: 3 times, after 1 and 2 s. */
  readonly retry?: RetryPolicy
  /** How often the compensation is tried before a person must look. Default: 10 times, 1 s to 5 min apart. */
  readonly undoRetry?: RetryPolicy
  /** How long one attempt may take. Default `1m`. */
  readonly within?: Duration
}

/** A step that is taken only if this says so. It is asked once; the answer is stored before the step begins. */
export interface Conditional<Context> {
  /** Of nothing but the context: no clock, no chance, no I/O. What it throws ends the saga's way forward. */
  when(context: Context): boolean
}

/** The steps that are always taken. */
export interface Unconditional {
  readonly when?: undefined
}

/**
 * Undoes the step. It also runs when it is unknown whether the action took effect (it threw, or its
 * process died), and may run twice: it must be idempotent and find nothing to undo without failing.
 */
export type Compensate<Context, Data extends object> = (
  context: Context & Partial<Stored<Data>>,
  tx: Transaction,
  run: StepRun,
) => Promise<Pick<Effect<object>, 'events'> | void>

export interface StepOptions<Context, Data extends object> extends Trying {
  /**
   * Does the work. What it writes through `tx` commits with the saga's own note that the step is
   * done; a call to the outside may happen twice, with the same idempotency key.
   */
  action(context: Context, tx: Transaction, run: StepRun): Promise<Effect<Data> | Refusal | void>
  compensate?: Compensate<Context, Data>
}

interface Waiting<Context, Data extends object> extends Trying {
  /** How long it waits, by the business clock. Then the saga compensates, or `otherwise` runs. Default: for ever. */
  readonly timeout?: Duration
  /** What is done instead if nothing came in time; what comes later is not used. */
  otherwise?(
    context: Context,
    tx: Transaction,
    run: StepRun,
  ): Promise<Effect<Data> | Refusal | void>
  compensate?: Compensate<Context, Data>
}

export interface ReplyOptions<Context, Data extends object> extends Waiting<Context, Data> {
  /** The type of the event that is waited for; several where the answer may be yes or no. */
  readonly event: string | readonly string[]
  /** What the reply means. Default: nothing but that the saga goes on. */
  action?(context: Context, tx: Transaction, run: ReplyRun): Promise<Effect<Data> | Refusal | void>
}

export interface SignalOptions<Context, Payload, Data extends object> extends Waiting<
  Context,
  Data
> {
  /** The signal's name. Default: the name of the step. */
  readonly signal?: string
  /** Reads what was sent, before it is stored: what it throws is refused. Default: takes anything. */
  parse?(payload: unknown): Payload
  /** What the signal means. Default: nothing but that the saga goes on. */
  action?(
    context: Context,
    tx: Transaction,
    run: SignalRun<Payload>,
  ): Promise<Effect<Data> | Refusal | void>
}

/** How long to let pass, by the business clock: a duration, or until a time from the context. */
export type TimerOptions<Context> = Partial<Conditional<Context>> &
  (
    | { readonly after: Duration }
    /** A time that is over lets the saga go on at once. A text is read as `Date` reads it. */
    | { until(context: Context): Date | string }
  )

/** A place where steps run side by side: the position of the first, and how many each branch has. */
export interface Fork {
  readonly at: number
  readonly branches: readonly { readonly name: string; readonly steps: number }[]
}

/** Steps that follow each other: positions from `from` up to, not including, `to`. */
export interface Branch {
  readonly name: string | undefined
  readonly from: number
  readonly to: number
}

/** What a saga does as a whole before it goes on: one step, or all branches of a fork. */
export interface Unit {
  readonly from: number
  readonly to: number
  readonly branches: readonly Branch[]
}

/** The unit that a position belongs to. */
export function unitAt(forks: readonly Fork[], position: number): Unit {
  for (const fork of forks) {
    if (position < fork.at) break
    const branches = branchesOf(fork)
    const to = branches.at(-1)?.to ?? fork.at
    if (position < to) return { from: fork.at, to, branches }
  }
  const to = position + 1
  return { from: position, to, branches: [{ name: undefined, from: position, to }] }
}

function branchesOf({ at, branches }: Fork): Branch[] {
  let from = at
  return branches.map(({ name, steps }) => {
    const branch = { name, from, to: from + steps }
    from = branch.to
    return branch
  })
}

/** Whether what a step returns is in the context of another: the units before it, and its own branch. */
export function isSeenBy(forks: readonly Fork[], earlier: number, position: number): boolean {
  if (earlier >= position || forks.length === 0) return earlier < position
  const { from, branches } = unitAt(forks, position)
  if (earlier < from) return true
  const own = branches.find((branch) => position >= branch.from && position < branch.to)
  return own !== undefined && earlier >= own.from
}

/** Whether the same steps stand side by side. */
export function isSameForks(some: readonly Fork[], others: readonly Fork[]): boolean {
  return some.length === others.length && some.every((fork, i) => isSameFork(fork, others[i]))
}

function isSameFork(some: Fork, other: Fork | undefined): boolean {
  return (
    some.at === other?.at &&
    some.branches.length === other.branches.length &&
    some.branches.every(({ steps }, i) => steps === other.branches[i]?.steps)
  )
}
