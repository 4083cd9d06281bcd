import { Button, Checkbox, Group, Modal, NumberInput, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import {
  dataOf,
  formatCount,
  type paths,
  PermittedButton,
  useAction,
  useApi,
} from '@posthorn/dashboard/kit'
import { type SubmitEvent, useState } from 'react'

/** Looks for what might belong together. */
export function SuggestButton({ id }: { id: string }) {
  const [isOpen, { open, close }] = useDisclosure(false)
  return (
    <>
      <PermittedButton to="write" variant="default" onClick={open}>
        Find suggestions
      </PermittedButton>
      <Modal opened={isOpen} onClose={close} title="Find suggestions">
        <SuggestForm id={id} onClose={close} />
      </Modal>
    </>
  )
}

/** Which near fits to look for. */
function SuggestForm({ id, onClose }: { id: string; onClose: () => void }) {
  const api = useApi()
  const [wishes, setWishes] = useState(USUAL_WISHES)
  const set = (change: Partial<Wishes>) => setWishes((before) => ({ ...before, ...change }))
  const passes = passesOf(wishes)
  const suggest = useAction({
    run: () =>
      dataOf(
        api.POST('/api/v1/reconciliations/{id}/suggest', {
          params: { path: { id } },
          body: { passes },
        }),
      ),
    done: ({ passes: found }) => {
      const count = found.reduce((sum, { suggestions }) => sum + suggestions, 0)
      return count === 0
        ? 'No suggestions found.'
        : `${formatCount(count)} ${count === 1 ? 'suggestion' : 'suggestions'}: accept or dismiss them one by one.`
    },
    changes: ['reconciliation'],
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    suggest.mutate(undefined, { onSuccess: onClose })
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Text size="sm">This matches nothing yet. Open suggestions are replaced.</Text>
        <Checkbox
          label="Same id, slightly different amount"
          checked={wishes.amount}
          onChange={({ currentTarget }) => set({ amount: currentTarget.checked })}
        />
        {wishes.amount && (
          <NumberInput
            label="Maximum difference in percent"
            value={wishes.percent}
            onChange={(percent) => set({ percent: Number(percent) || 0 })}
            min={0}
            max={100}
            decimalScale={2}
          />
        )}
        <Checkbox
          label="Same amount, different id; also refunds"
          checked={wishes.date}
          onChange={({ currentTarget }) => set({ date: currentTarget.checked })}
        />
        {wishes.date && (
          <NumberInput
            label="Maximum days apart"
            value={wishes.days}
            onChange={(days) => set({ days: Number(days) || 0 })}
            min={0}
            max={31}
            allowDecimal={false}
          />
        )}
        <Checkbox
          label="A payout of several payments, less a fee"
          checked={wishes.payout}
          onChange={({ currentTarget }) => set({ payout: currentTarget.checked })}
        />
        {wishes.payout && (
          <TextInput
            label="Metadata field that names the payout"
            description="Leave empty for all payments of one day."
            value={wishes.field}
            onChange={({ currentTarget }) => set({ field: currentTarget.value })}
            maxLength={100}
          />
        )}
        <Checkbox
          label="One payment, paid in several lines"
          checked={wishes.split}
          onChange={({ currentTarget }) => set({ split: currentTarget.checked })}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={suggest.isPending} disabled={passes.length === 0}>
            Find
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

type Pass =
  paths['/api/v1/reconciliations/{id}/suggest']['post']['requestBody']['content']['application/json']['passes'][number]

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
