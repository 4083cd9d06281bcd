import fc from 'fast-check'
import { fixed, type Transaction } from '@posthorn/engine'
import type { Pool } from 'pg'
import { defineSaga, refuse, type AnySaga } from '../index.ts'
import { enter, callWorld, undoInWorld } from './ledger.ts'

/**
 * What happens when a step is tried: `dies` before or after its effect takes the whole process with
 * it; `lags`: the process is thought dead, and goes on beside the one that took over.
 */
type Fate = 'works' | 'throws' | 'throws after' | 'dies' | 'dies after' | 'lags' | 'refuses'

export interface StepPlan {
  readonly name: string
  readonly kind: 'step' | 'reply' | 'signal' | 'timer' | 'until'
  /** What `when` says when it is asked first; asked again, it says the opposite. */
  readonly when: boolean | undefined
  /** What becomes of its attempts, one after the other; then it works. */
  readonly acts: readonly Fate[]
  readonly undoes: readonly Exclude<Fate, 'refuses'>[]
  readonly isStuck: boolean
  readonly hasOtherwise: boolean
  /** The round in which its reply or signal comes, early or late; undefined if it never does. */
  readonly answerAt: number | undefined
}

export interface Plan {
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
  hasOtherwise: fc.boolean(),
  answerAt: fc.option(fc.nat(5), { nil: undefined }),
})

const branch = fc.array(stepPlan, { minLength: 1, maxLength: 2 })
const unit = fc.oneof(
  stepPlan.map((step) => [[step]]),
  fc.array(branch, { minLength: 2, maxLength: 3 }),
)

export const plans: fc.Arbitrary<Plan> = fc
  .record({
    units: fc.array(unit, { minLength: 1, maxLength: 3 }),
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

export function stepsOf({ units }: Plan): StepPlan[] {
  return units.flat(2)
}

export interface RandomWorld {
  readonly pool: Pool
  /** Never comes back. */
  die(): Promise<never>
  /** Comes back when another process has taken over. */
  lag(): Promise<void>
}

/** A saga that does what the plan says. */
export function randomSaga(name: string, plan: Plan, world: RandomWorld): AnySaga {
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

function optionsOf({ name, acts, undoes, isStuck }: StepPlan, { pool, die, lag }: RandomWorld) {
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
      if (fate === 'dies') await die()
      if (fate === 'lags') await lag()
      if (fate === 'throws') throw new Error('before')
      if (fate === 'refuses') return refuse('NO', 'no')
      await callWorld(pool, sagaId, name)
      if (fate === 'dies after') await die()
      await enter(tx, sagaId, name)
      if (fate === 'throws after') throw new Error('after')
      return { data: { [name]: true } }
    },
    compensate: async (_context: object, tx: Transaction, { sagaId }: { sagaId: string }) => {
      const fate = fateOf('undo', undoes)
      if (fate === 'dies') await die()
      if (fate === 'lags') await lag()
      if (fate === 'throws' || isStuck) throw new Error('before')
      await undoInWorld(pool, sagaId, name)
      if (fate === 'dies after') await die()
      await enter(tx, sagaId, `undo ${name}`)
      if (fate === 'throws after') throw new Error('after')
    },
  }
}
