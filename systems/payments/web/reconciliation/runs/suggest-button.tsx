import { Checkbox, NumberInput, Text, TextInput } from '@mantine/core'
import {
  ActionForm,
  type BodyOf,
  dataOf,
  DialogButton,
  formatCount,
  useAction,
  useApi,
  useDraft,
} from '@posthorn/dashboard/kit'

/** Looks for what might belong together. */
export function SuggestButton({ id }: { id: string }) {
  return (
    <DialogButton to="write" variant="default" label="Find suggestions" title="Find suggestions">
      {(close) => <SuggestForm id={id} onClose={close} />}
    </DialogButton>
  )
}

/** Which near fits to look for. */
function SuggestForm({ id, onClose }: { id: string; onClose: () => void }) {
  const api = useApi()
  const { draft, set, text, check } = useDraft(USUAL_WISHES)
  const passes = passesOf(draft)
  const suggest = useAction({
    run: () => {
      const params = { path: { id } }
      return dataOf(api.POST('/api/v1/reconciliations/{id}/suggest', { params, body: { passes } }))
    },
    done: ({ passes: found }) => {
      const count = found.reduce((sum, { suggestions }) => sum + suggestions, 0)
      return count === 0
        ? 'No suggestions found.'
        : `${formatCount(count)} ${count === 1 ? 'suggestion' : 'suggestions'}: accept or dismiss them one by one.`
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
          description="Leave empty for all payments of one day."
          {...text('field')}
          maxLength={100}
        />
      )}
      <Checkbox label="One payment, paid in several lines" {...check('split')} />
    </ActionForm>
  )
}

type Pass = BodyOf<'/api/v1/reconciliations/{id}/suggest'>['passes'][number]

/** What to look for, as a person says it. */
interface Wishes {
  readonly amount: boolean
  readonly percent: number
  readonly date: boolean
  readonly days: number
  readonly payout: boolean
  /** Of the metadata; empty: by day. */
  readonly field: string
  readonly split: boolean
}

export const USUAL_WISHES: Wishes = {
  amount: true,
  percent: 5,
  date: true,
  days: 3,
  payout: false,
  field: 'payout_id',
  split: false,
}

/** Hundredths of a percent that a payout's fee may be. */
const MOST_FEE_BPS = 1_000

export function passesOf({ amount, percent, date, days, payout, field, split }: Wishes): Pass[] {
  const by = field.trim() === '' ? ('date' as const) : { metadata: field.trim() }
  return [
    ...(amount ? [{ kind: 'amount_tolerance' as const, bps: Math.round(percent * 100) }] : []),
    ...(date ? [{ kind: 'date_window' as const, before: days, after: days }] : []),
    ...(payout ? [{ kind: 'many_to_one' as const, by, fee: { bps: MOST_FEE_BPS } }] : []),
    ...(split ? [{ kind: 'one_to_many' as const }] : []),
  ]
}
