import { Button, Checkbox, Group, NumberInput, Stack, Text, TextInput } from '@mantine/core'
import { useState, type SubmitEvent } from 'react'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { formatCount } from '../../format/number.ts'
import { useAction } from '../../parts/use-action.ts'
import { passesOf, USUAL_WISHES, type Wishes } from './passes.ts'

/** Which near fits to look for. */
export function SuggestForm({ id, onClose }: { id: string; onClose: () => void }) {
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
        ? 'Nothing fits nearly.'
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
        <Text size="sm">
          Nothing is matched by this. Suggestions that nobody answered are looked for anew.
        </Text>
        <Checkbox
          label="The payment it names, with a slightly other amount"
          checked={wishes.amount}
          onChange={({ currentTarget }) => set({ amount: currentTarget.checked })}
        />
        {wishes.amount && (
          <NumberInput
            label="At most so much off, in percent"
            value={wishes.percent}
            onChange={(percent) => set({ percent: Number(percent) || 0 })}
            min={0}
            max={100}
            decimalScale={2}
          />
        )}
        <Checkbox
          label="The same amount under another id"
          checked={wishes.date}
          onChange={({ currentTarget }) => set({ date: currentTarget.checked })}
        />
        {wishes.date && (
          <NumberInput
            label="At most so many days apart"
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
            description="Left empty: all payments of one day."
            value={wishes.field}
            onChange={({ currentTarget }) => set({ field: currentTarget.value })}
            maxLength={100}
          />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Leave it
          </Button>
          <Button type="submit" loading={suggest.isPending} disabled={passes.length === 0}>
            Look
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
