import fc from 'fast-check'
import { advanceClock, readClock, useMovableClock } from '@posthorn/operate'
import { testDatabase } from '@posthorn/engine/testing'
import { beforeAll, expect, test } from 'vitest'
import {
  acceptReply,
  cancelSaga,
  defineSaga,
  getSaga,
  refuse,
  sagaEvents,
  sagaMigrations,
  startSaga,
  type AnySaga,
  type SagaDetails,
} from '../index.ts'
import {
  LEDGER,
  WORLD,
  callWorld,
  enter,
  entries,
  listStanding,
  undoInWorld,
} from '../testing/ledger.ts'
import {
  createRelay,
  delivered,
  fixed,
  retryLater,
  toMessage,
  transaction,
  uuid,
  type Delivery,
  type Outcome,
  type Transaction,
  type Transport,
} from '@posthorn/engine'
import { type DeliverOptions } from '@posthorn/engine/internal'
import type { Pool } from 'pg'
import { sagaTransport } from '../run/orchestrator.ts'
import { sendSignal } from '../events/replies.ts'

/**
 * What happens when a step is tried: `dies` before or after its effect takes the whole process with
 * it; `lags`: the process is thought dead, and goes on beside the one that took over.
 */
type Fate = 'works' | 'throws' | 'throws after' | 'dies' | 'dies after' | 'lags' | 'refuses'

interface StepPlan {
  readonly name: string
  readonly kind: 'step' | 'reply' | 'signal' | 'timer' | 'until'
  /** What `when` says when it is asked first; asked again, it says the opposite. */
  readonly when: boolean | undefined
  /** What becomes of its attempts, one after the other; then it works. */
  readonly acts: readonly Fate[]
  readonly undoes: readonly Exclude<Fate, 'refuses'>[]
  readonly isStuck: boolean
  /** Where in its action the saga is cancelled; `stored`: while what it returned is stored. */
  readonly cancelsAt: 'begin' | 'called' | 'written' | 'stored' | undefined
  /** Whether the broker refuses the event of its action, and that of its undoing, the first time. */
  readonly nacks: readonly [boolean, boolean]
  readonly hasOtherwise: boolean
  /** The round in which its reply or signal comes, early or late; undefined if it never does. */
  readonly answerAt: number | undefined
}

interface Plan {
  /** Units of branches of steps. */
  readonly units: readonly (readonly (readonly StepPlan[])[])[]
  readonly cancelAt: number | undefined
  readonly deadline: '4m' | undefined
}

const stepPlan = fc.record({
  name: fc.constant(''),
  kind: fc.constantFrom<StepPlan['kind']>(
    'step',
    'step',
    'step',
    'reply',
    'signal',
    'timer',
    'until',
  ),
  when: fc.constantFrom(undefined, undefined, undefined, true, false),
  acts: fc.array(
    fc.constantFrom<Fate>(
      ...(['works', 'works', 'works', 'works'] as const),
      ...(['throws', 'throws after', 'dies', 'dies after', 'lags', 'refuses'] as const),
    ),
    { maxLength: 2 },
  ),
  undoes: fc.array(
    fc.constantFrom<StepPlan['undoes'][number]>(
      'works',
      'throws',
      'throws after',
      'dies',
      'dies after',
      'lags',
    ),
    { maxLength: 2 },
  ),
  isStuck: fc.nat(20).map((n) => n === 0),
  cancelsAt: fc.nat(20).map((n) => (['begin', 'called', 'written', 'stored'] as const)[n]),
  nacks: fc.tuple(fc.boolean(), fc.boolean()),
  hasOtherwise: fc.boolean(),
  answerAt: fc.option(fc.nat(5), { nil: undefined }),
})

const branchPlan = fc.array(stepPlan, { minLength: 1, maxLength: 2 })
const unitPlan = fc.oneof(
  stepPlan.map((step) => [[step]]),
  fc.array(branchPlan, { minLength: 2, maxLength: 3 }),
)

const plans: fc.Arbitrary<Plan> = fc
  .record({
    units: fc.array(unitPlan, { minLength: 1, maxLength: 3 }),
    cancelAt: fc.option(fc.nat(8), { nil: undefined, freq: 2 }),
    deadline: fc.constantFrom(undefined, undefined, '4m' as const),
  })
  .map(({ units, ...rest }) => {
    let count = 0
    const named = units.map((each) =>
      each.map((steps) => steps.map((step) => ({ ...step, name: `s${(count += 1)}` }))),
    )
    return { units: named, ...rest }
  })

function stepsOf({ units }: Plan): StepPlan[] {
  return units.flat(2)
}

interface RandomWorld {
  readonly pool: Pool
  /** Never comes back. */
  die(): Promise<never>
  /** Comes back when another process has taken over. */
  lag(): Promise<void>
  cancel(): Promise<unknown>
  /** A step has returned, or is undone: whether what it returned is there. */
  note(name: string, what: 'returned' | 'seen' | 'unseen'): void
}

/** A saga that does what the plan says. */
function randomSaga(name: string, plan: Plan, world: RandomWorld): AnySaga {
  const { deadline } = plan
  const build = (saga: AnySaga, step: StepPlan) => addTo(saga, step, world)
  let saga: AnySaga = defineSaga(name, deadline ? { deadline } : {})
  for (const branches of plan.units) {
    const [first = [], ...others] = branches
    saga =
      others.length === 0
        ? first.reduce(build, saga)
        : saga.parallel(
            Object.fromEntries(
              branches.map((steps, i) => [`b${i}`, (start: AnySaga) => steps.reduce(build, start)]),
            ),
          )
  }
  return saga
}

function addTo(saga: AnySaga, plan: StepPlan, world: RandomWorld): AnySaga {
  const { name, kind } = plan
  const options = { ...optionsOf(plan, world), ...whenOf(plan) }
  const waiting = { ...options, timeout: '3m' } as const
  const late = plan.hasOtherwise ? { ...waiting, otherwise: options.action } : waiting
  switch (kind) {
    case 'step':
      return saga.step(name, options)
    case 'reply':
      return saga.reply(name, { ...late, event: `answer ${name}` })
    case 'signal':
      return saga.signal(name, late)
    case 'timer':
      return saga.timer(name, { after: '2m', ...whenOf(plan) })
    case 'until':
      return saga.timer(name, { until: ({ at }) => at as string, ...whenOf(plan) })
  }
}

function whenOf({ when }: StepPlan) {
  if (when === undefined) return {}
  let asked = 0
  return { when: () => ((asked += 1) === 1 ? when : !when) }
}

function optionsOf(
  { name, acts, undoes, isStuck, cancelsAt }: StepPlan,
  { pool, die, lag, cancel, note }: RandomWorld,
) {
  const visits = new Map<string, number>()
  const fateOf = (key: 'act' | 'undo', list: readonly Fate[]) => {
    const visit = visits.get(key) ?? 0
    visits.set(key, visit + 1)
    return list[visit] ?? 'works'
  }
  return {
    retry: fixed('1m', { attempts: 2 }),
    undoRetry: fixed('1m', { attempts: 5 }),
    action: async (_context: object, tx: Transaction, { sagaId }: { sagaId: string }) => {
      const fate = fateOf('act', acts)
      if (cancelsAt === 'begin') await cancel()
      if (fate === 'dies') await die()
      if (fate === 'lags') await lag()
      if (fate === 'throws') throw new Error('before')
      if (fate === 'refuses') return refuse('NO', 'no')
      await callWorld(pool, sagaId, name)
      if (cancelsAt === 'called') await cancel()
      if (fate === 'dies after') await die()
      await enter(tx, sagaId, name)
      if (cancelsAt === 'written') await cancel()
      if (fate === 'throws after') throw new Error('after')
      if (cancelsAt === 'stored') void cancel()
      note(name, 'returned')
      return { data: { [name]: true }, events: [{ type: name, payload: {} }] }
    },
    compensate: async (context: object, tx: Transaction, { sagaId }: { sagaId: string }) => {
      const fate = fateOf('undo', undoes)
      note(name, name in context ? 'seen' : 'unseen')
      if (fate === 'dies') await die()
      if (fate === 'lags') await lag()
      if (fate === 'throws' || isStuck) throw new Error('before')
      await undoInWorld(pool, sagaId, name)
      if (fate === 'dies after') await die()
      await enter(tx, sagaId, `undo ${name}`)
      if (fate === 'throws after') throw new Error('after')
      return { events: [{ type: `undo ${name}`, payload: {} }] }
    },
  }
}

/**
 * Runs one saga as its plan says, turn by turn, without a relay. A process that dies is left where it
 * stands: the others of its branches go on, as in one that has lost its lease, and the turn is taken
 * again.
 */
class Driver {
  readonly saga: AnySaga
  readonly plan: Plan
  id = ''
  readonly notes = new Map<string, Set<string>>()
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
    this.saga = randomSaga(name, plan, {
      pool,
      die: () => this.#die(),
      lag: () => this.#lag(),
      cancel: () => {
        const cancelled = this.#cancel()
        this.#runs.push(cancelled)
        return cancelled
      },
      note: (step, what) => {
        this.notes.set(step, (this.notes.get(step) ?? new Set()).add(what))
      },
    })
    this.#transport = sagaTransport({ pool, sagas: [this.saga], events })
  }

  async begin(at: Date): Promise<void> {
    const input = { at: at.toISOString() }
    this.id = (await transaction(this.#pool, (tx) => startSaga(tx, this.saga, { input }))).id
  }

  /** What comes from outside in a round, at the same time as the saga runs. */
  async play(round: number): Promise<void> {
    const { plan } = this
    const answers = stepsOf(plan).filter(({ answerAt }) => answerAt === round)
    const late = this.#lagging.splice(0)
    const running = this.#run()
    for (const goOn of late) goOn()
    await Promise.all([
      running,
      plan.cancelAt === round && this.#cancel(),
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

  #cancel() {
    return transaction(this.#pool, (tx) => cancelSaga(tx, this.id))
  }

  #reply(name: string) {
    const headers = { 'saga-id': this.id }
    const message = toMessage({ id: uuid(), type: `answer ${name}`, payload: {}, headers })
    return transaction(this.#pool, (tx) => acceptReply(tx, { consumer: 'test', message }))
  }

  #signal(name: string) {
    const signal = { sagaId: this.id, name }
    return transaction(this.#pool, (tx) => sendSignal(tx, [this.saga], signal))
  }
}

/*
 * Any interleaving of steps side by side, replies, signals, timers, deadlines, conditions, failures,
 * processes that die or come back, and cancellations, also within a step: a saga ends COMPLETED,
 * COMPENSATED with every done step undone once, or FAILED with an alert. What undoes a step finds what
 * it returned, and the events of a saga arrive in their order, whichever of them the broker refuses.
 */
const db = await testDatabase({ migrations: [await sagaMigrations()], sql: `${LEDGER};${WORLD}` })
const { pool } = db
beforeAll(() => useMovableClock(pool))

const events = sagaEvents({ transport: 'broker' })

/** A broker that refuses some events the first time, and what it took of each saga. */
class Broker implements Transport {
  readonly taken = new Map<string, string[]>()
  readonly #refused = new Set<string>()
  readonly #refuses = new Set<string>()

  refuse(sagaId: string, type: string): void {
    this.#refuses.add(`${sagaId} ${type}`)
  }

  async deliver(batch: readonly Delivery[], { ordered }: DeliverOptions): Promise<Outcome[]> {
    const failed = new Set<string>()
    return batch.map(({ message: { id, type, key = '' } }) => {
      if (ordered && failed.has(key))
        return retryLater(new Error('behind another'), { charge: false })
      if (this.#refuses.has(`${key} ${type}`) && !this.#refused.has(id)) {
        this.#refused.add(id)
        failed.add(key)
        return retryLater(new Error('nack'))
      }
      this.taken.set(key, [...(this.taken.get(key) ?? []), type])
      return delivered()
    })
  }
}

/** Sagas that run at the same time in one run. */
const SAGAS = 12
const RUNS = process.env['PROOF'] === 'full' ? 100 : 8
const MOST_ROUNDS = 80

let count = 0

test('after any crash, failure or cancellation a saga ends complete, undone or with an alert', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(plans, { minLength: 1, maxLength: SAGAS, size: 'max' }),
      async (given) => {
        const now = (await readClock(pool)).now
        const at = new Date(now.getTime() + 120_000)
        const drivers = given.map((plan) => new Driver(pool, `property-${(count += 1)}`, plan))
        const broker = new Broker()
        const relay = createRelay({ pool, outboxes: [events], transports: { broker } })
        for (const driver of drivers) await driver.begin(at)
        for (const { id, plan } of drivers) {
          for (const { name, nacks } of stepsOf(plan)) {
            if (nacks[0]) broker.refuse(id, name)
            if (nacks[1]) broker.refuse(id, `undo ${name}`)
          }
        }
        for (let round = 0; round < MOST_ROUNDS; round += 1) {
          await Promise.all(drivers.map((driver) => driver.play(round)))
          const { rows } = await pool.query(
            `select from sagas.saga where finished_at is null and id = any($1)`,
            [drivers.map(({ id }) => id)],
          )
          await relay.runOnce()
          await advanceClock(pool, '1m')
          if (rows.length === 0) break
        }
        await Promise.all(drivers.map((driver) => driver.close()))
        while ((await relay.runOnce()) > 0) await advanceClock(pool, '1m')
        await relay.stop()
        for (const { id, plan, notes } of drivers) {
          await expectWhole(id, plan)
          expectSeen(plan, notes)
          const made = (await getSaga(pool, id))?.events.map(({ type }) => type)
          expect(broker.taken.get(id) ?? []).toEqual(made)
        }
      },
    ),
    { numRuns: RUNS, endOnFailure: true },
  )
}, 300_000)

async function expectWhole(id: string, plan: Plan): Promise<void> {
  const saga = await getSaga(pool, id)
  const done = await entries(pool, id)
  const acts = done.filter((entry) => !entry.startsWith('undo'))
  const undoes = done.filter((entry) => entry.startsWith('undo')).map((entry) => entry.slice(5))
  // Each at most once, and nothing is begun any more once something was undone.
  expect(new Set(done).size).toBe(done.length)
  expect(done).toEqual([...acts, ...undoes.map((step) => `undo ${step}`)])
  expectOrder(acts, plan)
  const names = stepsOf(plan).map(({ name }) => name)
  expect(undoes).toEqual(names.filter((name) => undoes.includes(name)).toReversed())
  const standing = await listStanding(pool, id)
  if (saga?.status === 'COMPLETED') {
    expect(undoes).toEqual([])
    const taken = effectsOf(saga, plan).toSorted()
    expect(acts.toSorted()).toEqual(taken)
    expect(standing).toEqual(taken)
  } else if (saga?.status === 'COMPENSATED') {
    expect(standing).toEqual([])
    expect(undoes).toEqual(expect.arrayContaining(acts))
  } else {
    expect(saga).toMatchObject({ status: 'FAILED', error: { code: 'SAGA_STUCK' } })
    expect(stepsOf(plan).some(({ isStuck }) => isStuck)).toBe(true)
    const { rows } = await pool.query(
      `select code from posthorn.alert where subject = $1 and recovered_at is null`,
      [id],
    )
    expect(rows).toEqual([{ code: 'SAGA_STUCK' }])
  }
}

/** What a step returned is there when it is undone; only the death of its process takes it away. */
function expectSeen(plan: Plan, notes: ReadonlyMap<string, ReadonlySet<string>>): void {
  const fates = stepsOf(plan).flatMap(({ acts }) => acts)
  if (fates.some((fate) => /^(dies|lags)/.test(fate))) return
  for (const [step, found] of notes) {
    if (found.has('returned')) expect([step, ...found]).not.toContain('unseen')
  }
}

/** Steps with an effect that were taken; every other one was left out, and says so. */
function effectsOf(saga: SagaDetails, plan: Plan): string[] {
  const statuses = new Map(saga.steps.map(({ name, status }) => [name, status]))
  return stepsOf(plan).flatMap(({ name, kind, when }) => {
    const status = statuses.get(name)
    expect(status).toBeOneOf(when === undefined ? ['COMPLETED'] : ['COMPLETED', 'SKIPPED'])
    return status === 'COMPLETED' && kind !== 'timer' && kind !== 'until' ? [name] : []
  })
}

/** Units one after the other, and so the steps of each branch; branches in any order. */
function expectOrder(acts: readonly string[], { units }: Plan): void {
  const place = new Map(
    units.flatMap((branches, unit) =>
      branches.flatMap((steps, branch) =>
        steps.map(({ name }, step) => [name, { unit, branch, step }] as const),
      ),
    ),
  )
  acts.forEach((name, i) => {
    const later = place.get(name)
    for (const before of acts.slice(0, i)) {
      const earlier = place.get(before)
      if (!earlier || !later) throw new Error(`${before} or ${name} is none of the steps`)
      expect(earlier.unit).toBeLessThanOrEqual(later.unit)
      if (earlier.unit === later.unit && earlier.branch === later.branch) {
        expect(earlier.step).toBeLessThan(later.step)
      }
    }
  })
}
