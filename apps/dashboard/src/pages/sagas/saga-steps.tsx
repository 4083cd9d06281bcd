import { type RowStep, StepRow } from '../../parts/step-row.tsx'
import { Time } from '../../parts/time.tsx'
import { lookOfStep, type SagaDetails, type SagaStep } from './saga-state.ts'
import { placesOf } from './step-places.ts'

/** The steps in the order of their definition, branches below each other, with where each is. */
export function SagaSteps({ saga }: { saga: SagaDetails }) {
  const places = placesOf(saga.steps)
  const steps = saga.steps.map((step, i) => ({ ...rowOf(saga, step), place: places[i] }))
  return <StepRow label="Steps of the saga" steps={steps} />
}

function rowOf(saga: SagaDetails, step: SagaStep): RowStep {
  const { role, word } = lookOfStep(step)
  const undone = saga.compensations.find(({ step: name }) => name === step.name)
  const tries = undone?.attempts ?? step.attempts
  const at = undone?.undoneAt ?? step.endedAt ?? step.updatedAt
  return {
    id: step.name,
    name: step.name,
    word: tries > 1 ? `${word}, ${tries} attempts` : word,
    role,
    isCurrent: saga.atHand.includes(step.name),
    details: (
      <>
        {step.branch !== null && <div>branch {step.branch.name}</div>}
        {step.error !== null && <div>{step.error.code}</div>}
        {step.timedOut && step.error === null && <div>nothing came in time</div>}
        {step.dueAt === null ? (
          at !== null && <Time at={at} />
        ) : (
          <div>
            {step.status === 'WAITING' ? 'due' : 'again'}{' '}
            <Time at={step.dueAt} clock="business" ahead />
          </div>
        )}
      </>
    ),
  }
}
