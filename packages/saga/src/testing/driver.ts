import { toMessage, transaction, uuid, type Delivery, type Transport } from '@posthorn/engine'
import type { Pool } from 'pg'
import {
  acceptReply,
  cancelSaga,
  sagaTransport,
  signalSaga,
  startSaga,
  type AnySaga,
} from '../index.ts'
import { randomSaga, stepsOf, type Plan } from './random-saga.ts'

/**
 * Runs one saga as its plan says, turn by turn, without a relay. A process that dies is left where it
 * stands: the others of its branches go on, as in one that has lost its lease, and the turn is taken
 * again.
 */
export class Driver {
  readonly saga: AnySaga
  readonly plan: Plan
  id = ''
  readonly #pool: Pool
  readonly #transport: Transport
  readonly #taken = new Set<string>()
  readonly #end = Promise.withResolvers<never>()
  readonly #runs: Promise<unknown>[] = []
  #died = Promise.withResolvers<void>()
  #lagging: (() => void)[] = []

  constructor(pool: Pool, name: string, plan: Plan) {
    this.#pool = pool
    this.plan = plan
    this.#end.promise.catch(() => undefined)
    this.saga = randomSaga(name, plan, { pool, die: () => this.#die(), lag: () => this.#lag() })
    this.#transport = sagaTransport({ pool, sagas: [this.saga] })
  }

  async begin(at: Date): Promise<void> {
    const input = { at: at.toISOString() }
    this.id = (await transaction(this.#pool, (tx) => startSaga(tx, this.saga, { input }))).id
  }

  /** What comes from outside in a round, at the same time as the saga runs. */
  async play(round: number): Promise<void> {
    const { plan, id } = this
    const answers = stepsOf(plan).filter(({ answerAt }) => answerAt === round)
    const late = this.#lagging.splice(0)
    const running = this.#run()
    for (const goOn of late) goOn()
    await Promise.all([
      running,
      plan.cancelAt === round && transaction(this.#pool, (tx) => cancelSaga(tx, id)),
      ...answers.map(({ kind, name }) => {
        if (kind === 'signal') return this.#signal(name)
        return kind === 'reply' && this.#reply(name)
      }),
    ])
  }

  /** Ends what was thought dead: it comes back and changes nothing. */
  async close(): Promise<void> {
    this.#end.reject(new Error('the process had died'))
    for (const goOn of this.#lagging) goOn()
    await Promise.all(this.#runs)
  }

  #die(): Promise<never> {
    this.#died.resolve()
    return this.#end.promise
  }

  #lag(): Promise<void> {
    this.#died.resolve()
    return new Promise((resolve) => void this.#lagging.push(resolve))
  }

  async #run(): Promise<void> {
    for (let turn = await this.#dueTurn(); turn !== undefined; turn = await this.#dueTurn()) {
      const again = this.#taken.has(turn)
      this.#taken.add(turn)
      this.#died = Promise.withResolvers()
      const run = this.#transport.deliver([this.#delivery(turn, again)], {
        ordered: false,
        signal: new AbortController().signal,
      })
      this.#runs.push(run)
      const isOver = await Promise.race([
        run.then(() => true),
        this.#died.promise.then(() => false),
      ])
      if (!isOver) return
    }
  }

  #delivery(id: string, again: boolean): Delivery {
    const payload = { sagaId: this.id, turn: Number(id.split('/')[1]), again }
    const destination = { transport: 'sagas', topic: 'turns' }
    return { message: toMessage({ id: uuid(), type: 'saga.turn', payload }), destination }
  }

  async #dueTurn(): Promise<string | undefined> {
    const { rows } = await this.#pool.query<{ id: string }>(
      `select t.id from sagas.saga as s
         join sagas.saga_turn as t on t.saga_id = s.id and t.turn = s.turn
        where s.id = $1 and s.status in ('RUNNING', 'COMPENSATING') and t.due_at <= posthorn.now()`,
      [this.id],
    )
    return rows[0]?.id
  }

  #reply(name: string) {
    const headers = { 'saga-id': this.id }
    const message = toMessage({ id: uuid(), type: `answer ${name}`, payload: {}, headers })
    return transaction(this.#pool, (tx) => acceptReply(tx, { consumer: 'test', message }))
  }

  #signal(name: string) {
    const signal = { sagaId: this.id, name, sagas: [this.saga] }
    return transaction(this.#pool, (tx) => signalSaga(tx, signal))
  }
}
