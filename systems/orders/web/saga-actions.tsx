import { Group, JsonInput, Stack, Text } from '@mantine/core'
import {
  ActButton,
  because,
  ButtonLink,
  Panel,
  post,
  usePermission,
  useRequestKey,
} from '@posthorn/dashboard/kit'
import { type SagaDetails, signalsOf } from './saga-state.ts'
import { type ReactNode, useState } from 'react'

/** What an action on a saga changes on other pages. */
export const CHANGED = ['sagas', 'alerts', 'overview', 'audit'] as const

export function SagaActions({ saga }: { saga: SagaDetails }) {
  const { isAllowed } = usePermission('operate')
  const params = { path: { id: saga.id } }
  const key = useRequestKey()
  return (
    <Group gap="xs">
      <ButtonLink variant="default" to="/sagas">
        All orders
      </ButtonLink>
      {isAllowed &&
        saga.status === 'RUNNING' &&
        signalsOf(saga).map((name) => (
          <ActButton
            key={name}
            label={`Send ${name}`}
            title="Send 1 signal?"
            run={() =>
              post('/api/v1/sagas/{id}/events', {
                ...params,
                body: { name },
                headers: { 'idempotency-key': key.keyFor({ name }) },
              })
            }
            done={() => 'Signal sent.'}
            changes={CHANGED}
            onDone={key.done}
          >
            The saga waits for it at {saga.step ?? 'a step'}, and continues.
          </ActButton>
        ))}
      {isAllowed && saga.allows.includes('resume') && (
        <ActButton
          to="operate"
          label="Resume"
          title="Resume 1 saga?"
          reason="optional"
          run={(reason) => post('/api/v1/sagas/{id}/resume', { ...params, body: because(reason) })}
          done={() => 'Saga resumed.'}
          changes={CHANGED}
        >
          It continues at {saga.step ?? 'the step it was at'}, starting again at attempt zero. If
          the cause persists, it gets stuck again.
        </ActButton>
      )}
      {isAllowed && saga.allows.includes('cancel') && (
        <ActButton
          to="operate"
          label="Cancel"
          title="Cancel 1 saga?"
          verb="Cancel and undo"
          dismiss="Back"
          tone="danger"
          reason="optional"
          run={(reason) => post('/api/v1/sagas/{id}/cancel', { ...params, body: because(reason) })}
          done={() => 'Saga cancelled; its steps are being undone.'}
          changes={CHANGED}
        >
          A step in progress ends first. Then all steps are undone, last first: stock is released
          and a payment is refunded.
        </ActButton>
      )}
    </Group>
  )
}

interface InterventionProps {
  readonly saga: SagaDetails
}

/** Operators' actions for a saga that resuming or cancelling does not help; its state decides which. */
export function Interventions({ saga }: InterventionProps) {
  const { isAllowed } = usePermission('operate')
  const offers = saga.allows.filter((action) => action !== 'resume' && action !== 'cancel')
  if (!isAllowed || offers.length === 0) return null
  return (
    <Panel title="Intervene">
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          For a saga that cannot continue by itself. A step in progress is not stopped, but what it
          stores is discarded. Every action needs a reason.
        </Text>
        {offers.includes('skip') &&
          saga.atHand.map((step) => <Skip key={step} saga={saga} step={step} />)}
        {offers.includes('terminate') && <Terminate saga={saga} />}
      </Stack>
    </Panel>
  )
}

function Offer({ children, button }: { children: ReactNode; button: ReactNode }) {
  return (
    <Group
      justify="space-between"
      gap="sm"
      pt="sm"
      style={{ borderTop: '1px solid var(--mantine-color-default-border)' }}
    >
      <Text size="sm" flex="1 1 200px">
        {children}
      </Text>
      {button}
    </Group>
  )
}

/** Names the current step: the server refuses if the saga has moved on. */
function seenAt({ atHand: [step] }: SagaDetails) {
  return step === undefined ? {} : { step }
}

function Skip({ saga, step }: InterventionProps & { readonly step: string }) {
  const isForward = saga.direction === 'forward'
  const [data, setData] = useState('')
  return (
    <Offer
      button={
        <ActButton
          to="operate"
          label={isForward ? `Skip ${step}` : `Skip undoing ${step}`}
          title={isForward ? `Skip ${step}?` : `Skip undoing ${step}?`}
          verb="Skip"
          tone="danger"
          reason="required"
          run={(reason = '') =>
            post('/api/v1/sagas/{id}/skip', {
              path: { id: saga.id },
              body: { step, reason, ...(data.trim() !== '' && { data: objectIn(data) }) },
            })
          }
          done={() => (isForward ? `${step} skipped.` : `${step} is not undone.`)}
          changes={CHANGED}
        >
          {isForward ? (
            <Stack gap="sm">
              <span>
                The step {step} counts as done, and the saga continues with the next step. If the
                saga is undone later, {step} is undone too, in case an attempt took effect.
              </span>
              <JsonInput
                label="Data of the step"
                description="What it would have returned, for the steps after it, as a JSON object. Empty: nothing."
                placeholder={'{"trackingCode": "PH-1"}'}
                value={data}
                onChange={setData}
                validationError="This is not JSON."
                autosize
                minRows={2}
                maxRows={8}
              />
            </Stack>
          ) : (
            `The step ${step} stays as it is, and the steps before it are undone. Do this if ${step} was undone manually, or need not be undone.`
          )}
        </ActButton>
      }
    >
      {isForward
        ? `Continue without the step ${step}.`
        : `Continue without undoing the step ${step}.`}
    </Offer>
  )
}

function Terminate({ saga }: InterventionProps) {
  return (
    <Offer
      button={
        <ActButton
          to="operate"
          label="Terminate"
          title="Terminate 1 saga?"
          tone="danger"
          reason="required"
          run={(reason = '') =>
            post('/api/v1/sagas/{id}/terminate', {
              path: { id: saga.id },
              body: { reason, ...seenAt(saga) },
            })
          }
          done={() => 'Saga terminated.'}
          changes={CHANGED}
        >
          It ends where it is: no further step runs, and nothing that was done is undone. Only what
          an order has reserved goes back to the stock, or leaves it if a shipment is booked. There
          is no way back.
        </ActButton>
      }
    >
      End the saga as it is.
    </Offer>
  )
}

/** Parses the typed JSON; anything but an object is an error of the dialog. */
function objectIn(text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = undefined
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>
  }
  throw new Error('The data of the step must be a JSON object, as {"key": "value"}.')
}
