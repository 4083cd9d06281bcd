import {
  delivered,
  retryLater,
  type Failure,
  type Outcome,
  type Transaction,
} from '@posthorn/engine'
import { attempt, unstorable, type Attempted } from './attempt.ts'
import type { Checkpoints } from './checkpoints.ts'
import { afterAction, afterUndo, nextTask, type StepOutcome, type Task } from './decide.ts'
import { contextAt, applyMove, recordAt, type Instance, type Move } from './instance.ts'
import { isOutage } from './outage.ts'
import type { Step } from './saga.ts'
import type { EventInit, ReplyRun, StepRun } from './step.ts'
import type { StepTransaction } from './step-transaction.ts'
import type { Turn } from './turn-outbox.ts'

/** What a run needs of its process. */
export interface RunContext {
  readonly checkpoints: Checkpoints
  readonly signal: AbortSignal
  /** A transaction for one step. */
  open(): StepTransaction
  /** The saga as it is now; undefined if the turn is over. */
  reload(turn: Turn): Promise<Instance | undefined>
}

type StepTask = Exclude<Task, { kind: 'move' }>

/** One saga in one turn: step after step, until it waits or has ended. */
export class SagaRun {
  readonly #turn: Turn
  readonly #steps: readonly Step[]
  readonly #context: RunContext
  #instance: Instance
  /** The step at hand may have taken effect. */
  #inDoubt: boolean
  /** A turn that was lost is claimed alone: after one step it makes room, and goes on among the others. */
  #yields: boolean

  constructor(
    turn: Turn,
    instance: Instance,
    { steps, context }: { steps: readonly Step[]; context: RunContext },
  ) {
    this.#turn = turn
    this.#instance = instance
    this.#steps = steps
    this.#context = context
    this.#inDoubt = turn.again
    this.#yields = turn.again
  }

  /** Runs until the turn is over. A failing database is an outcome too: the turn is taken again. */
  async run(): Promise<Outcome> {
    try {
      while (await this.#advance());
      return delivered()
    } catch (error) {
      return retryLater(error)
    }
  }

  /** One task. False: the turn is over. */
  async #advance(): Promise<boolean> {
    const task = nextTask(this.#instance, { steps: this.#steps, inDoubt: this.#inDoubt })
    const move =
      task.kind === 'move'
        ? await this.#write(this.#yieldAfter(task.move))
        : await this.#perform(task)
    if (move) {
      this.#inDoubt = false
      this.#yields = false
      this.#instance = applyMove(move)
      return !move.next && (move.status === 'RUNNING' || move.status === 'COMPENSATING')
    }
    // Another process moved it, or stored a cancellation or a reply. If the turn is still ours, read again.
    const instance = await this.#context.reload(this.#turn)
    if (!instance) return false
    this.#inDoubt ||= task.kind === 'act'
    this.#instance = instance
    return true
  }

  /** Returns the move that was made; undefined if the saga was no longer there. */
  async #perform(task: StepTask): Promise<Move | undefined> {
    const work = this.#context.open()
    const attempted = await this.#attempt(task, work.tx)
    if (attempted.outcome.kind === 'done' && work.isUsed) return this.#commit(task, work, attempted)
    await work.rollback()
    if (work.outage !== undefined && attempted.outcome.kind === 'failed') throw work.outage
    return this.#store(task, attempted)
  }

  async #attempt(task: StepTask, tx: Transaction): Promise<Attempted> {
    const { step } = task
    const { id, tenant, position } = this.#instance
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
    const { reply } = task
    const act = async (handle: Transaction, given: StepRun) =>
      // Steps that do not wait are not typed to look for a reply.
      step.action?.(context, handle, { ...given, reply } as ReplyRun)
    return attempt(act, tx, options)
  }

  /** The step's writes and its checkpoint commit together. */
  async #commit(
    task: StepTask,
    work: StepTransaction,
    attempted: Attempted,
  ): Promise<Move | undefined> {
    const move = this.#moveAfter(task, attempted.outcome)
    try {
      const made = await this.#context.checkpoints.writeIn(work.tx, {
        move,
        events: attempted.events,
        step: task.step.name,
      })
      if (!made) {
        await work.rollback()
        return undefined
      }
      await work.commit()
      return move
    } catch (error) {
      await work.rollback()
      if (isOutage(work.outage ?? error)) throw error
      return this.#fail(task, work.explain(error))
    }
  }

  async #store(task: StepTask, { outcome, events }: Attempted): Promise<Move | undefined> {
    try {
      return await this.#write(this.#moveAfter(task, outcome), { events, step: task.step.name })
    } catch (error) {
      if (outcome.kind !== 'done' || isOutage(error)) throw error
      return this.#fail(task, unstorable(error))
    }
  }

  /** What the step returned cannot be stored: that is the step's failure. */
  async #fail(task: StepTask, failure: Failure): Promise<Move | undefined> {
    return this.#write(this.#moveAfter(task, { kind: 'failed', failure }))
  }

  async #write(
    move: Move,
    { events, step }: { events: readonly EventInit[]; step: string } = { events: [], step: '' },
  ): Promise<Move | undefined> {
    const made = await this.#context.checkpoints.write({ move, events, step })
    return made ? move : undefined
  }

  #moveAfter(task: StepTask, outcome: StepOutcome): Move {
    const move =
      task.kind === 'undo'
        ? afterUndo(this.#instance, task, outcome)
        : afterAction(this.#instance, task, { outcome, steps: this.#steps, inDoubt: this.#inDoubt })
    return this.#yieldAfter(move)
  }

  /** Also an orchestrator that stops hands the saga on after the step at hand. */
  #yieldAfter(move: Move): Move {
    const goesOn = !move.next && (move.status === 'RUNNING' || move.status === 'COMPENSATING')
    const makesRoom = this.#yields || this.#context.signal.aborted
    return makesRoom && goesOn ? { ...move, next: { delayMs: 0, waitsFor: [] } } : move
  }
}

/** The same for every attempt; another one after the step was undone and begun anew. */
function idempotencyKeyOf(instance: Instance, { step, kind }: StepTask): string {
  const round = recordAt(instance, instance.position)?.round ?? 0
  const name = round === 0 ? step.name : `${step.name}/${round + 1}`
  return `${instance.id}/${name}${kind === 'undo' ? '/undo' : ''}`
}
