import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import {
  ActionForm,
  dataOf,
  formatMoney,
  MoneyInput,
  PermittedButton,
  sentenceOf,
  useAction,
  useApi,
} from '@posthorn/dashboard/kit'
import { newKey, type Payment } from './payment.ts'

/** What can be done with money that is held: take it, or a part of it, or set it free. */
export function HeldPayment({ payment }: { payment: Payment }) {
  const [isCapturing, capture] = useDisclosure(false)
  const [isVoiding, voiding] = useDisclosure(false)
  return (
    <Group gap="xs">
      <PermittedButton to="write" onClick={capture.open}>
        Capture
      </PermittedButton>
      <PermittedButton to="write" variant="default" onClick={voiding.open}>
        Void
      </PermittedButton>
      <Modal opened={isCapturing} onClose={capture.close} title="Capture">
        <CaptureForm payment={payment} onClose={capture.close} />
      </Modal>
      <Modal opened={isVoiding} onClose={voiding.close} title="Void">
        <VoidForm payment={payment} onClose={voiding.close} />
      </Modal>
    </Group>
  )
}

interface FormProps {
  readonly payment: Payment
  readonly onClose: () => void
}

function CaptureForm({ payment: { id, amount: held, currency }, onClose }: FormProps) {
  const api = useApi()
  const [amount, setAmount] = useState<number | undefined>(held)
  // One for each amount: a second press does not ask twice.
  const [key, setKey] = useState(newKey)
  const money = formatMoney(amount ?? 0, currency)
  const capture = useAction({
    run: () =>
      dataOf(
        api.POST('/api/v1/payments/{id}/capture', {
          params: { path: { id }, header: { 'idempotency-key': key } },
          body: { amount: amount ?? 0 },
        }),
      ),
    done: (answer) =>
      'proposedBy' in answer
        ? `Capture of ${money} proposed: another user has to approve it.`
        : `${money} captured.`,
    changes: ['payments'],
  })
  const change = (value: number | undefined) => {
    setAmount(value)
    setKey(newKey())
  }
  return (
    <ActionForm
      action={capture}
      onClose={onClose}
      verb={`Capture ${money}`}
      disabled={amount === undefined}
    >
      <MoneyInput
        label="Amount"
        currency={currency}
        initial={held}
        most={held}
        description={`${formatMoney(held, currency)} authorised.`}
        onChange={change}
      />
      {(amount ?? held) < held && (
        <Text size="sm">The rest is released and cannot be captured later.</Text>
      )}
    </ActionForm>
  )
}

function VoidForm({ payment: { id, amount, currency }, onClose }: FormProps) {
  const api = useApi()
  const [key] = useState(newKey)
  const money = formatMoney(amount, currency)
  const release = useAction({
    run: () =>
      dataOf(
        api.POST('/api/v1/payments/{id}/void', {
          params: { path: { id }, header: { 'idempotency-key': key } },
        }),
      ),
    done: (answer) =>
      'proposedBy' in answer
        ? `Release of ${money} proposed: another user has to approve it.`
        : `${money} released.`,
    changes: ['payments'],
  })
  return (
    <Stack gap="sm">
      <Text size="sm">
        {money} is released to the customer. Nothing is charged, and this cannot be undone.
      </Text>
      {release.isError && <Refused error={release.error} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose} disabled={release.isPending}>
          Cancel
        </Button>
        <Button
          color="red.8"
          loading={release.isPending}
          onClick={() => release.mutate(undefined, { onSuccess: onClose })}
        >
          Void {money}
        </Button>
      </Group>
    </Stack>
  )
}

function Refused({ error }: { error: Error }) {
  return (
    <Alert color="red" role="alert">
      {sentenceOf(error)}
    </Alert>
  )
}
