import {
  Alert,
  Button,
  Checkbox,
  Group,
  Modal,
  MultiSelect,
  Select,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type SubmitEvent, useState } from 'react'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { formatMoney } from '../../format/money.ts'
import { differenceOf, firstGuess, payable } from './match.ts'
import { useMissing } from './run-tabs.tsx'
import type { RecordDetails } from './run.ts'
import { sentenceOf, useAction } from '../../parts/use-action.ts'

interface MatchButtonProps {
  readonly runId: string
  readonly record: RecordDetails
}

/** Matches a record by hand. */
export function MatchButton({ runId, record }: MatchButtonProps) {
  const [isOpen, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button onClick={open}>Match</Button>
      <Modal opened={isOpen} onClose={close} title={`Match line ${record.lineNumber}`}>
        <MatchForm runId={runId} record={record} onClose={close} />
      </Modal>
    </>
  )
}

const KINDS = ['fee', 'rounding', 'other'] as const

interface MatchFormProps {
  readonly runId: string
  readonly record: RecordDetails
  readonly onClose: () => void
}

/** Which payments a record settles, and what the difference is. */
function MatchForm({ runId, record, onClose }: MatchFormProps) {
  const api = useApi()
  const missing = useMissing(runId)
  const payments = payable(record, missing.rows)
  const [chosen, setChosen] = useState(() => firstGuess(record))
  const [kind, setKind] = useState<(typeof KINDS)[number]>('fee')
  const [reason, setReason] = useState('')
  const [isPart, setIsPart] = useState(false)
  const difference = differenceOf(
    record,
    payments.filter(({ id }) => chosen.includes(id)),
  )
  // Less than its one payment: the rest may come in another line.
  const canBePart = chosen.length === 1 && difference < 0 && record.amount > 0
  const match = useAction({
    run: () =>
      dataOf(
        api.POST('/api/v1/reconciliations/{id}/records/{recordId}/match', {
          params: { path: { id: runId, recordId: record.id } },
          body: {
            paymentIds: chosen,
            reason: reason.trim(),
            version: record.version,
            ...(canBePart && isPart
              ? { part: true }
              : difference !== 0 && { adjustment: { amount: difference, kind } }),
          },
        }),
      ),
    done: () => `Line ${record.lineNumber} is matched.`,
    changes: ['reconciliation'],
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    match.mutate(undefined, { onSuccess: onClose })
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Text size="sm">
          Bank: {formatMoney(record.amount, record.currency)} for {record.externalTransactionId}.
        </Text>
        <MultiSelect
          label="Payments"
          description="The nearest payments, suggested ones and those without a record, in the same currency."
          data={payments.map(({ id, amount, currency, externalPaymentId, createdAt }) => ({
            value: id,
            label: `${formatMoney(amount, currency)} · ${externalPaymentId ?? id.slice(0, 8)} · ${createdAt.slice(0, 10)}`,
          }))}
          value={chosen}
          onChange={setChosen}
          searchable
          required
          nothingFoundMessage="No free payment in this currency"
        />
        {canBePart && (
          <Checkbox
            label="Only a part of the payment: the rest comes in other lines"
            checked={isPart}
            onChange={({ currentTarget }) => setIsPart(currentTarget.checked)}
          />
        )}
        {chosen.length > 0 && difference !== 0 && !(canBePart && isPart) && (
          <Select
            label={`Book the difference of ${formatMoney(difference, record.currency)} as`}
            data={[...KINDS]}
            value={kind}
            onChange={(value) => setKind(KINDS.find((each) => each === value) ?? 'other')}
            allowDeselect={false}
          />
        )}
        <TextInput
          label="Reason"
          description="Recorded in the audit log."
          value={reason}
          onChange={({ currentTarget }) => setReason(currentTarget.value)}
          required
          maxLength={2_000}
        />
        {match.isError && (
          <Alert color="red" role="alert">
            {sentenceOf(match.error)}
          </Alert>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={match.isPending}>
            Cancel
          </Button>
          <Button type="submit" loading={match.isPending} disabled={chosen.length === 0}>
            Match with {chosen.length} {chosen.length === 1 ? 'payment' : 'payments'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
