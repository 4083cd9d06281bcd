import { StepRow, type RowStep } from '../../parts/step-row.tsx'
import { Time } from '../../parts/time.tsx'
import { lookOfStep, type SagaDetails, type SagaStep } from './saga-state.ts'

/** The steps in the order of their definition, with where each is and since when. */
export function SagaSteps({ saga }: { saga: SagaDetails }) {
  return <StepRow label="Steps of the saga" steps={saga.steps.map((step) => rowOf(saga, step))} />
}

function rowOf(saga: SagaDetails, step: SagaStep): RowStep {
  const { role, word } = lookOfStep(step.status)
  const undone = saga.compensations.find(({ step: name }) => name === step.name)
  const tries = undone?.attempts ?? step.attempts
  return {
    id: step.name,
    name: step.name,
    word: tries > 1 ? `${word}, ${tries} attempts` : word,
    role,
    isCurrent: saga.step === step.name,
    details: (
      <>
        {step.error !== null && <div>{step.error.code}</div>}
        {step.updatedAt !== null && <Time at={undone?.undoneAt ?? step.updatedAt} />}
      </>
    ),
  }
}
