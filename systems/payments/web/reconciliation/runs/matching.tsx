import {
  Checkbox,
  Group,
  MultiSelect,
  NumberInput,
  Paper,
  Select,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import {
  ActButton,
  ActionForm,
  AnchorLink,
  because,
  type BodyOf,
  DialogButton,
  countOf,
  formatMoney,
  Part,
  post,
  useAction,
  useDraft,
  useListOf,
} from '@posthorn/dashboard/kit'
import {
  type PaymentSide,
  type RecordDetails,
  type RefundSide,
  type Suggestion,
  useMissing,
} from './run.tsx'

export interface RecordProps {
  readonly runId: string
  readonly record: RecordDetails
}

export function MatchButton({ runId, record }: RecordProps) {
  return (
    <DialogButton to="write" label="Match" title={`Match line ${record.lineNumber}`}>
      {(close) => <MatchForm runId={runId} record={record} onClose={close} />}
    </DialogButton>
  )
}

const KINDS = ['fee', 'rounding', 'other'] as const

type Reversal = RefundSide & { readonly kind: 'refund' | 'dispute' }

/** Refunds and disputes that no record matches. */
function useReversals(id: string, currency: string): readonly Reversal[] {
  const asked = { path: { id }, query: { currency } }
  const key = (kind: string) => ['reconciliation', id, kind, currency]
  const refunds = useListOf('/api/v1/reconciliations/{id}/refunds', key('refunds'), asked)
  const disputes = useListOf('/api/v1/reconciliations/{id}/disputes', key('disputes'), asked)
  return [
    ...refunds.rows.map((each) => ({ ...each, kind: 'refund' as const })),
    ...disputes.rows.map((each) => ({ ...each, kind: 'dispute' as const })),
  ]
}

/** `1 payment`, `2 payments and 1 reversal`. */
function wordsOf(payments: number, reversals: number): string {
  const words = [
    payments > 0 && countOf(payments, 'payment'),
    reversals > 0 && countOf(reversals, 'reversal'),
  ].filter((each) => each !== false)
  return words.length === 0 ? '…' : words.join(' and ')
}

interface MatchFormProps extends RecordProps {
  readonly onClose: () => void
}

/** Which payments and refunds a record settles, and what the difference is. */
function MatchForm({ runId, record, onClose }: MatchFormProps) {
  const missing = useMissing(runId)
  const payments = payable(record, missing.rows)
  const reversals = useReversals(runId, record.currency)
  const { draft, text, value, choice, check } = useDraft(() => ({
    chosen: firstGuess(record, record.history[0]?.paymentId),
    refunded: [] as string[],
    kind: 'fee' as (typeof KINDS)[number],
    reason: '',
    isPart: false,
  }))
  const { chosen, refunded, kind, reason, isPart } = draft
  const difference = differenceOf(
    record.amount,
    payments.filter(({ id }) => chosen.includes(id)),
    reversals.filter(({ id }) => refunded.includes(id)),
  )
  const count = chosen.length + refunded.length
  // Less than its one payment: the rest may come in another line.
  const canBePart = chosen.length === 1 && count === 1 && difference < 0 && record.amount > 0
  const idsOf = (what: Reversal['kind']) => {
    const ids = reversals.filter((each) => each.kind === what && refunded.includes(each.id))
    return ids.length === 0 ? {} : { [`${what}Ids`]: ids.map(({ id }) => id) }
  }
  const match = useAction({
    run: () =>
      post('/api/v1/reconciliations/{id}/records/{recordId}/match', {
        path: { id: runId, recordId: record.id },
        body: {
          ...(chosen.length > 0 && { paymentIds: chosen }),
          ...idsOf('refund'),
          ...idsOf('dispute'),
          reason: reason.trim(),
          version: record.version,
          ...(canBePart && isPart
            ? { part: true }
            : difference !== 0 && { adjustment: { amount: difference, kind } }),
        },
      }),
    done: (answer) =>
      'proposedBy' in answer
        ? 'Match proposed: another user has to approve it.'
        : `Line ${record.lineNumber} is matched.`,
    changes: ['reconciliation'],
  })
  const refundField = (
    <MultiSelect
      label="Refunds and disputes"
      description="Refunds and disputes without a record, in the same currency."
      data={reversals.map(({ id, kind: what, amount, currency, gatewayRef, createdAt }) => ({
        value: id,
        label: `${what} ${formatMoney(-amount, currency)} · ${gatewayRef ?? id.slice(0, 8)} · ${createdAt.slice(0, 10)}`,
      }))}
      {...value('refunded')}
      searchable
      nothingFoundMessage="No free refund or dispute in this currency"
    />
  )
  return (
    <ActionForm
      action={match}
      onClose={onClose}
      verb={`Match with ${wordsOf(chosen.length, refunded.length)}`}
      disabled={count === 0}
    >
      <Text size="sm">
        Bank: {formatMoney(record.amount, record.currency)} for {record.externalTransactionId}.
      </Text>
      {record.amount < 0 && refundField}
      <MultiSelect
        label="Payments"
        description="Nearest, suggested and unmatched payments in the same currency."
        data={payments.map(({ id, amount, currency, externalPaymentId, createdAt }) => ({
          value: id,
          label: `${formatMoney(amount, currency)} · ${externalPaymentId ?? id.slice(0, 8)} · ${createdAt.slice(0, 10)}`,
        }))}
        {...value('chosen')}
        searchable
        nothingFoundMessage="No free payment in this currency"
      />
      {record.amount >= 0 && refundField}
      {canBePart && (
        <Checkbox label="Partial payment: other lines have the rest" {...check('isPart')} />
      )}
      {count > 0 && difference !== 0 && !(canBePart && isPart) && (
        <Select
          label={`Book the difference of ${formatMoney(difference, record.currency)} as`}
          data={KINDS}
          {...choice('kind')}
        />
      )}
      <TextInput
        label="Reason"
        description="Recorded in the audit log."
        {...text('reason')}
        required
        maxLength={2_000}
      />
    </ActionForm>
  )
}

type Side = Pick<PaymentSide, 'id' | 'amount' | 'currency'>

/** Payments to choose from: the nearest ones and the missing ones, in the record's currency. */
export function payable<Payment extends Side>(
  { payments, currency }: { payments: readonly Payment[] } & Pick<RecordDetails, 'currency'>,
  missing: readonly Payment[],
): Payment[] {
  const known = new Map([...payments, ...missing].map((payment) => [payment.id, payment]))
  return [...known.values()].filter((payment) => payment.currency === currency)
}

/** The nearest payment of the last run, if it can be chosen. */
export function firstGuess(
  record: Parameters<typeof payable>[0],
  nearest: string | null | undefined,
): string[] {
  return payable(record, []).flatMap(({ id }) => (id === nearest ? [id] : []))
}

type Amounts = readonly Pick<Side, 'amount'>[]

/** The record's amount minus payments plus refunds, in minor units: a fee is negative. */
export function differenceOf(amount: number, payments: Amounts, refunds: Amounts): number {
  const sum = (sides: Amounts) => sides.reduce((all, side) => all + side.amount, 0)
  return amount - sum(payments) + sum(refunds)
}

export function SuggestButton({ id }: { id: string }) {
  return (
    <DialogButton to="write" variant="default" label="Find suggestions" title="Find suggestions">
      {(close) => <SuggestForm id={id} onClose={close} />}
    </DialogButton>
  )
}

function SuggestForm({ id, onClose }: { id: string; onClose: () => void }) {
  const { draft, set, text, check } = useDraft(USUAL_WISHES)
  const passes = passesOf(draft)
  const suggest = useAction({
    run: () => post('/api/v1/reconciliations/{id}/suggest', { path: { id }, body: { passes } }),
    done: ({ passes: found }) => {
      const count = found.reduce((sum, { suggestions }) => sum + suggestions, 0)
      return count === 0
        ? 'No suggestions found.'
        : `${countOf(count, 'suggestion')}: accept or dismiss them one by one.`
    },
    changes: ['reconciliation'],
  })
  return (
    <ActionForm action={suggest} onClose={onClose} verb="Find" disabled={passes.length === 0}>
      <Text size="sm">This matches nothing yet. Open suggestions are replaced.</Text>
      <Checkbox label="Same id, slightly different amount" {...check('amount')} />
      {draft.amount && (
        <NumberInput
          label="Maximum difference in percent"
          value={draft.percent}
          onChange={(percent) => set({ percent: Number(percent) || 0 })}
          min={0}
          max={100}
          decimalScale={2}
        />
      )}
      <Checkbox label="Same amount, different id; also refunds" {...check('date')} />
      {draft.date && (
        <NumberInput
          label="Maximum days apart"
          value={draft.days}
          onChange={(days) => set({ days: Number(days) || 0 })}
          min={0}
          max={31}
          allowDecimal={false}
        />
      )}
      <Checkbox label="A payout of several payments, less a fee" {...check('payout')} />
      {draft.payout && (
        <TextInput
          label="Metadata field that names the payout"
          description="Add it to existing payments with PATCH /api/v1/payments/:id."
          {...text('field')}
          maxLength={100}
        />
      )}
      <Checkbox label="One payment, paid in several lines" {...check('split')} />
    </ActionForm>
  )
}

type Pass = BodyOf<'/api/v1/reconciliations/{id}/suggest'>['passes'][number]

/** The initial values of the form. */
export const USUAL_WISHES = {
  amount: true,
  percent: 5,
  date: true,
  days: 3,
  payout: false,
  /** Of the metadata. */
  field: 'payout_id',
  split: false,
}

/** Hundredths of a percent that a payout's fee may be. */
const MOST_FEE_BPS = 1_000

export function passesOf(wishes: typeof USUAL_WISHES): Pass[] {
  const { amount, percent, date, days, payout, field, split } = wishes
  const by = { metadata: field.trim() }
  return [
    ...(amount ? [{ kind: 'amount_tolerance' as const, bps: Math.round(percent * 100) }] : []),
    ...(date ? [{ kind: 'date_window' as const, before: days, after: days }] : []),
    ...(payout && by.metadata !== ''
      ? [{ kind: 'many_to_one' as const, by, fee: { bps: MOST_FEE_BPS } }]
      : []),
    ...(split ? [{ kind: 'one_to_many' as const }] : []),
  ]
}

const SUGGESTION_WORDS: Readonly<Record<string, string>> = {
  amount_tolerance: 'Same id, nearly the same amount',
  date_window: 'Same amount, different id, a few days apart',
  many_to_one: 'Several payments that were paid out together',
  one_to_many: 'One payment that was paid in several lines',
}

export function Suggestions({ runId, record }: RecordProps) {
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

interface SuggestedProps extends RecordProps {
  readonly suggestion: Suggestion
}

function Suggested({ runId, record, suggestion }: SuggestedProps) {
  const { kind, paymentIds, refundIds, recordIds, difference, ambiguous } = suggestion
  const payments = record.payments.filter(({ id }) => paymentIds.includes(id))
  return (
    <Paper withBorder p="sm">
      <Text size="sm" fw={600}>
        {SUGGESTION_WORDS[kind] ?? kind}
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

function Answers({ runId, record, suggestion }: SuggestedProps) {
  const params = { path: { id: runId, suggestionId: suggestion.id } }
  const path = '/api/v1/reconciliations/{id}/suggestions/{suggestionId}' as const
  const { paymentIds, refundIds, recordIds } = suggestion
  const count = refundIds.length > 0 ? 'a refund' : countOf(paymentIds.length, 'payment')
  const lines = recordIds.length > 1 ? `lines ${recordIds.join(', ')}` : `line ${record.lineNumber}`
  return (
    <Group gap="xs" mt="xs">
      <ActButton
        label="Accept"
        title={`Match ${lines} with ${count}?`}
        reason="optional"
        button={{ variant: 'filled' }}
        run={(reason) =>
          post(`${path}/accept`, {
            ...params,
            body: { version: record.version, ...because(reason) },
          })
        }
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
