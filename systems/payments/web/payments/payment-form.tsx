import { Anchor, Button, Group, Select, Stack, Switch, Text, TextInput } from '@mantine/core'
import {
  ActionForm,
  ApiProblem,
  CodeNote,
  formatMoney,
  MoneyInput,
  newId,
  post,
  sentenceOf,
  useAction,
  useDraft,
  useSettings,
} from '@posthorn/dashboard/kit'

const CURRENCIES = ['EUR', 'USD', 'GBP', 'CHF', 'SEK', 'PLN', 'BRL', 'INR', 'JPY', 'MXN']

interface PaymentFormProps {
  readonly onClose: () => void
  readonly onMade: (id: string) => void
}

const INITIAL = {
  /** The initial amount of the field. */
  chosen: 1_999,
  amount: 1_999 as number | undefined,
  currency: 'EUR',
  description: '',
  isHeld: false,
}

export function PaymentForm({ onClose, onMade }: PaymentFormProps) {
  const { production } = useSettings()
  const { draft, set, text, value, check } = useDraft(() => ({ ...INITIAL, key: newId() }))
  const { chosen, amount, currency, isHeld } = draft
  const pay = useAction({
    run: () => {
      const description = draft.description.trim()
      const body = {
        ...{ amount: amount ?? 0, currency },
        ...(description !== '' && { description }),
        ...(isHeld && { capture: 'manual' as const }),
      }
      return post('/api/v1/payments', { header: { 'idempotency-key': draft.key }, body })
    },
    done: ({ status }) => `Payment created: ${status}.`,
    changes: ['payments'],
  })
  const choose = (minor: number) => set({ chosen: minor, amount: minor })
  return (
    <ActionForm
      action={pay}
      onClose={onClose}
      verb={`${isHeld ? 'Authorise' : 'Charge'} ${formatMoney(amount ?? 0, currency)}`}
      disabled={amount === undefined}
      onDone={({ id }) => onMade(id)}
      renderError={(error) => <Refused error={error} />}
    >
      <MoneyInput
        key={`${chosen} ${currency}`}
        label="Amount"
        currency={currency}
        initial={chosen}
        most={999_999_999_999}
        onChange={value('amount').onChange}
      />
      <Select
        label="Currency"
        data={CURRENCIES}
        value={currency}
        onChange={(next) => {
          if (next === null) return
          set({ currency: next })
          choose(amount ?? chosen)
        }}
        allowDeselect={false}
        searchable
      />
      <TextInput label="Description" {...text('description')} maxLength={1_000} />
      <Switch label="Authorise now, capture later" {...check('isHeld')} />
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <TextInput
          label="Idempotency key"
          description="The same key returns the same answer."
          {...text('key')}
          required
          maxLength={255}
          flex={1}
        />
        <Button variant="default" onClick={() => set({ key: newId() })}>
          New key
        </Button>
      </Group>
      {!production && <MagicAmounts onChoose={choose} />}
    </ActionForm>
  )
}

function Refused({ error }: { error: Error }) {
  const isExplained = error instanceof ApiProblem && error.errors.length === 0
  return (
    <>
      <Text size="sm">{isExplained ? error.message : sentenceOf(error)}</Text>
      {isExplained && <CodeNote code={error.code} />}
    </>
  )
}

/** Endings of amounts and how the simulated gateway treats them. */
const FATES = [
  { amount: 1_999, ends: 'any other amount', means: 'is charged, and its webhook arrives' },
  { amount: 1_002, ends: 'ends in 02', means: 'is declined' },
  { amount: 1_008, ends: 'ends in 08', means: 'is charged, but the answer never arrives' },
  { amount: 1_050, ends: 'ends in 50', means: 'makes the gateway fail; nothing is charged' },
] as const

/** In development the amount selects the outcome. */
function MagicAmounts({ onChoose }: { onChoose: (amount: number) => void }) {
  return (
    <Stack gap={2}>
      <Text size="xs" fw={600}>
        The gateway is simulated. An amount that
      </Text>
      {FATES.map(({ amount, ends, means }) => (
        <Text key={amount} size="xs">
          <Anchor
            component="button"
            type="button"
            size="xs"
            onClick={() => onChoose(amount)}
            aria-label={`${ends}: choose ${amount}`}
          >
            {ends}
          </Anchor>{' '}
          {means}
        </Text>
      ))}
    </Stack>
  )
}
