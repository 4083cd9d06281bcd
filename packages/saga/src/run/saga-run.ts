import {
  delivered,
  retryLater,
  type Failure,
  type Outcome,
  type Transaction,
} from '@posthorn/engine'
import { attempt, unstorable, type Attempted, isOutage } from './attempt.ts'
import type { Checkpoint, Checkpoints } from './checkpoints.ts'
import { afterAction, doubtfulHeads, nextOf } from './decide.ts'
import { contextAt, applyMove, recordAt, type Instance, type Move } from './instance.ts'
import type { SagaParts } from '../define/saga.ts'
import type { ReplyRun, StepRun } from '../define/step.ts'
import type { StepTransaction } from './step-transaction.ts'
import type { Situation, StepOutcome, StepTask, Timing } from './move.ts'
import type { Turn } from '../outbox/turn-outbox.ts'
import { afterUndo } from './undo.ts'

/** What a run needs of its process. */
export interface RunContext {
  readonly checkpoints: Checkpoints
  readonly signal: AbortSignal
  /** A transaction for one step. */
  open(): StepTransaction
  /** The saga as it is now; undefined if the turn is over. */
  reload(turn: Turn): Promise<Instance | undefined>
}

/** A step that has been tried; what it wrote is not yet committed. */
interface Ended extends Attempted {
  readonly task: StepTask
  readonly work: StepTransaction
  readonly timing: Timing
}

/** A move that was written, and when. */
interface Made {
  readonly move: Move
  readonly at: number
}

/**
 * One saga in one turn: step after step, until it waits or has ended. Steps side by side run at the
 * same time; what becomes of the saga after each is decided and written one after the other.
 */
export class SagaRun {
  readonly #turn: Turn
  readonly #saga: Pick<SagaParts, 'steps' | 'forks'>
  readonly #context: RunContext
  readonly #running = new Map<number, Promise<Ended>>()
  /** Positions of steps that may have taken effect. */
  readonly #doubt: Set<number>
  #instance: Instance
  /** A turn that was lost is claimed alone: after one step it makes room, and goes on among the others. */
  #yields: boolean

  constructor(
    turn: Turn,
    instance: Instance,
    { saga, context }: { saga: Pick<SagaParts, 'steps' | 'forks'>; context: RunContext },
  ) {
    this.#turn = turn
    this.#instance = instance
    this.#saga = saga
    this.#context = context
    this.#doubt = new Set(turn.again ? doubtfulHeads(instance, saga) : [])
    this.#yields = turn.again
  }

  /** Runs until the turn is over. A failing database is an outcome too: the turn is taken again. */
  async run(): Promise<Outcome> {
    try {
      while (await this.#advance());
      return delivered()
    } catch (error) {
      return retryLater(error)
    } finally {
      await this.#callOff()
    }
  }

  /** One move. False: the turn is over. */
  async #advance(): Promise<boolean> {
    const next = nextOf(this.#instance, this.#situation())
    if (next.kind === 'move') return this.#goOn(await this.#write(this.#yieldAfter(next.move)))
    for (const task of next.tasks) this.#running.set(task.position, this.#begin(task))
    const ended = await this.#nextEnd()
    const { position } = ended.task
    this.#running.delete(position)
    const made = await this.#settle(ended)
    if (made) this.#doubt.delete(position)
    return this.#goOn(made)
  }

  #situation(): Situation {
    const { steps, forks } = this.#saga
    return { steps, forks, running: this.#running, doubt: this.#doubt, realNow: Date.now() }
  }

  #nextEnd(): Promise<Ended> {
    const [first, ...others] = this.#running.values()
    return first && others.length === 0 ? first : Promise.race(this.#running.values())
  }

  async #goOn(made: Made | undefined): Promise<boolean> {
    if (made) {
      if (this.#running.size === 0) this.#yields = false
      this.#instance = applyMove(made.move, made.at)
      return goesOn(made.move)
    }
    // A cancellation or a reply was stored: it is read again. Or another process has taken over.
    const instance = await this.#context.reload(this.#turn)
    if (instance?.moves !== this.#instance.moves) return false
    this.#instance = instance
    return true
  }

  /** The turn is over, or the database is away: what is still under way ends without a trace. */
  async #callOff(): Promise<void> {
    const left = await Promise.all(this.#running.values())
    await Promise.all(left.map(({ work }) => work.rollback()))
  }

  async #begin(task: StepTask): Promise<Ended> {
    const work = this.#context.open()
    const startedAt = Date.now()
    const attempted = await this.#attempt(task, work.tx)
    return { ...attempted, task, work, timing: { startedAt, endedAt: Date.now() } }
  }

  async #attempt(task: StepTask, tx: Transaction): Promise<Attempted> {
    const { step, position } = task
    const { id, tenant } = this.#instance
    const { signal } = this.#context
    const run = {
      sagaId: id,
      step: step.name,
      tenant: tenant ?? undefined,
      attempt: task.attempt,
      idempotencyKey: idempotencyKeyOf(this.#instance, task),
    }
    const options = { run, withinMs: step.withinMs, signal }
    if (task.kind === 'undo') {
      const output = recordAt(this.#instance, position)?.output ?? {}
      const context = { ...contextAt(this.#instance, position), ...output }
      return attempt(
        async (handle, given) => step.compensate?.(context, handle, given),
        tx,
        options,
      )
    }
    const context = contextAt(this.#instance, position)
    const { reply, isLate } = task
    if (isLate) {
      return attempt(async (handle, given) => step.otherwise?.(context, handle, given), tx, options)
    }
    const act = async (handle: Transaction, given: StepRun) =>
      // Steps that do not wait are not typed to look for a reply, nor for a signal.
      step.action?.(context, handle, { ...given, reply, received: reply } as ReplyRun)
    return attempt(act, tx, options)
  }

  /** Returns the move that was made; undefined if the saga was no longer there. */
  async #settle(ended: Ended): Promise<Made | undefined> {
    const { outcome, work } = ended
    if (outcome.kind === 'done' && work.isUsed) return this.#commit(ended)
    await work.rollback()
    if (work.outage !== undefined && outcome.kind === 'failed') throw work.outage
    return this.#store(ended)
  }

  /** The step's writes and its checkpoint commit together. */
  async #commit(ended: Ended): Promise<Made | undefined> {
    const { work } = ended
    try {
      const made = await this.#record(ended, work.tx)
      await (made ? work.commit() : work.rollback())
      return made
    } catch (error) {
      await work.rollback()
      if (isOutage(work.outage ?? error)) throw error
      return this.#fail(ended, work.explain(error))
    }
  }

  async #store(ended: Ended): Promise<Made | undefined> {
    try {
      return await this.#record(ended)
    } catch (error) {
      if (ended.outcome.kind !== 'done' || isOutage(error)) throw error
      return this.#fail(ended, unstorable(error))
    }
  }

  /** What the step returned cannot be stored: that is the step's failure. */
  async #fail(ended: Ended, failure: Failure): Promise<Made | undefined> {
    const outcome: StepOutcome = { kind: 'failed', failure }
    return this.#record({ ...ended, outcome, events: [], key: undefined })
  }

  /**
   * What has become of a step is stored also if its saga was cancelled meanwhile: then its next move is
   * decided again, and what undoes the step finds what it returned.
   */
  async #record(ended: Ended, tx?: Transaction): Promise<Made | undefined> {
    const { events, key, task } = ended
    const sent = { events, key, step: task.step.name, tx }
    const made = await this.#write(this.#moveAfter(ended), sent)
    if (made) return made
    const found = await this.#context.reload(this.#turn)
    if (!found?.cancelled || this.#instance.cancelled || found.moves !== this.#instance.moves)
      return
    this.#instance = found
    return this.#record(ended, tx)
  }

  async #write(
    move: Move,
    { tx, ...sent }: Omit<Checkpoint, 'move'> & { tx?: Transaction | undefined } = NOTHING_SENT,
  ): Promise<Made | undefined> {
    const { checkpoints } = this.#context
    const checkpoint = { move, ...sent }
    const at = await (tx ? checkpoints.writeIn(tx, checkpoint) : checkpoints.write(checkpoint))
    return at === undefined ? undefined : { move, at }
  }

  #moveAfter({ task, outcome, timing }: Ended): Move {
    const { steps } = this.#saga
    const move =
      task.kind === 'undo'
        ? afterUndo(this.#instance, task, { outcome, timing, steps })
        : afterAction(this.#instance, task, { ...this.#situation(), outcome, timing })
    return this.#yieldAfter(move)
  }

  /**
   * Also an orchestrator that stops hands the saga on after the step at hand. Not while another step
   * is under way or in doubt: the next turn would know nothing of it.
   */
  #yieldAfter(move: Move): Move {
    const makesRoom = this.#yields || this.#context.signal.aborted
    const settled = new Set(move.records.map(({ position }) => position))
    const isClear = this.#running.size === 0 && [...this.#doubt].every((each) => settled.has(each))
    if (!makesRoom || !goesOn(move) || !isClear) return move
    return { ...move, next: { delayMs: 0, wakeAt: undefined, waitsFor: [] } }
  }
}

const NOTHING_SENT = { events: [], step: '' }

function goesOn(move: Move): boolean {
  return !move.next && (move.status === 'RUNNING' || move.status === 'COMPENSATING')
}

/** The same for every attempt. */
function idempotencyKeyOf({ id }: Instance, { step, kind }: StepTask): string {
  return `${id}/${step.name}${kind === 'undo' ? '/undo' : ''}`
}
