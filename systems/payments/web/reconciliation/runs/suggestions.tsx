import { Group, Paper, Stack, Text } from '@mantine/core'
import { ActButton, AnchorLink, because, formatMoney, post, Part } from '@posthorn/dashboard/kit'
import type { RecordDetails, Suggestion } from './run.tsx'

interface SuggestionsProps {
  readonly runId: string
  readonly record: RecordDetails
}

const KINDS: Readonly<Record<string, string>> = {
  amount_tolerance: 'Same id, nearly the same amount',
  date_window: 'Same amount, different id, a few days apart',
  many_to_one: 'Several payments that were paid out together',
  one_to_many: 'One payment that was paid in several lines',
}

/** What might belong to a record, to accept or to dismiss. */
export function Suggestions({ runId, record }: SuggestionsProps) {
  const open = record.suggestions.filter(({ status }) => status === 'open')
  if (open.length === 0) return null
  return (
    <Part title="Suggestions">
      <Stack gap="xs">
        {open.map((suggestion) => (
          <Suggested key={suggestion.id} runId={runId} record={record} suggestion={suggestion} />
        ))}
      </Stack>
    </Part>
  )
}

function Suggested({
  runId,
  record,
  suggestion,
}: SuggestionsProps & { readonly suggestion: Suggestion }) {
  const { kind, paymentIds, refundIds, recordIds, difference, ambiguous } = suggestion
  const payments = record.payments.filter(({ id }) => paymentIds.includes(id))
  return (
    <Paper withBorder p="sm">
      <Text size="sm" fw={600}>
        {KINDS[kind] ?? kind}
      </Text>
      {payments.map(({ id, amount, currency, externalPaymentId }) => (
        <Text key={id} size="sm" component="div" style={{ overflowWrap: 'anywhere' }}>
          {formatMoney(amount, currency)} of{' '}
          <AnchorLink to="/payments" search={{ open: id }}>
            {externalPaymentId ?? id}
          </AnchorLink>
        </Text>
      ))}
      {refundIds.length > 0 && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          Refund {refundIds.join(', ')}
        </Text>
      )}
      {recordIds.length > 1 && <Text size="sm">Lines {recordIds.join(', ')}</Text>}
      <Text size="sm" c="dimmed">
        {difference === 0
          ? 'Exact amount.'
          : `The bank has ${formatMoney(Math.abs(difference), record.currency)} ${difference > 0 ? 'more' : 'less'}.`}
        {ambiguous && ' Other candidates fit too: check carefully.'}
      </Text>
      <Answers runId={runId} record={record} suggestion={suggestion} />
    </Paper>
  )
}

function Answers({
  runId,
  record,
  suggestion,
}: SuggestionsProps & { readonly suggestion: Suggestion }) {
  const params = { path: { id: runId, suggestionId: suggestion.id } }
  const path = '/api/v1/reconciliations/{id}/suggestions/{suggestionId}' as const
  const { paymentIds, refundIds, recordIds } = suggestion
  const count =
    refundIds.length > 0
      ? 'a refund'
      : `${paymentIds.length} ${paymentIds.length === 1 ? 'payment' : 'payments'}`
  const lines = recordIds.length > 1 ? `lines ${recordIds.join(', ')}` : `line ${record.lineNumber}`
  return (
    <Group gap="xs" mt="xs">
      <ActButton
        label="Accept"
        title={`Match ${lines} with ${count}?`}
        reason="optional"
        button={{ variant: 'filled' }}
        run={(reason) => {
          const body = { version: record.version, ...(reason !== undefined && { reason }) }
          return post(`${path}/accept`, { ...params, body })
        }}
        done={() => `Line ${record.lineNumber} is matched.`}
        changes={['reconciliation']}
      >
        This is a manual match; a difference is booked as a fee or as rounding. It can be undone.
      </ActButton>
      <ActButton
        label="Dismiss"
        title="Dismiss this suggestion?"
        reason="optional"
        run={(reason) => post(`${path}/dismiss`, { ...params, body: because(reason) })}
        done={() => 'The suggestion is dismissed.'}
        changes={['reconciliation']}
      >
        It is not suggested again.
      </ActButton>
    </Group>
  )
}
