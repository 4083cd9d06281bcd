import {
  Alert,
  Anchor,
  Button,
  Group,
  Modal,
  Select,
  Stack,
  Switch,
  Text,
  TextInput,
} from '@mantine/core'
import { type SubmitEvent, useState } from 'react'
import {
  ApiProblem,
  CodeNote,
  dataOf,
  formatMoney,
  MoneyInput,
  sentenceOf,
  useAction,
  useApi,
  useSettings,
} from '@posthorn/dashboard/kit'
import { newKey } from './payment.ts'

interface PaymentFormProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onMade: (id: string) => void
}

const CURRENCIES = ['EUR', 'USD', 'GBP', 'CHF', 'SEK', 'PLN', 'BRL', 'INR', 'JPY', 'MXN']

/** Makes a payment by hand. */
export function PaymentForm({ isOpen, ...rest }: PaymentFormProps) {
  return (
    <Modal opened={isOpen} onClose={rest.onClose} title="New payment">
      <Fields {...rest} />
    </Modal>
  )
}

function Fields({ onClose, onMade }: Omit<PaymentFormProps, 'isOpen'>) {
  const api = useApi()
  const { production } = useSettings()
  const [chosen, setChosen] = useState(1_999)
  const [amount, setAmount] = useState<number | undefined>(chosen)
  const [currency, setCurrency] = useState('EUR')
  const [description, setDescription] = useState('')
  const [isHeld, setIsHeld] = useState(false)
  const [key, setKey] = useState(newKey)
  const pay = useAction({
    run: () =>
      dataOf(
        api.POST('/api/v1/payments', {
          params: { header: { 'idempotency-key': key } },
          body: {
            amount: amount ?? 0,
            currency,
            ...(description.trim() !== '' && { description: description.trim() }),
            ...(isHeld && { capture: 'manual' as const }),
          },
        }),
      ),
    done: ({ status }) => `Payment created: ${status}.`,
    changes: ['payments'],
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    pay.mutate(undefined, { onSuccess: ({ id }) => onMade(id) })
  }
  const choose = (minor: number) => {
    setChosen(minor)
    setAmount(minor)
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <MoneyInput
          key={`${chosen} ${currency}`}
          label="Amount"
          currency={currency}
          initial={chosen}
          most={999_999_999_999}
          onChange={setAmount}
        />
        <Select
          label="Currency"
          data={CURRENCIES}
          value={currency}
          onChange={(value) => {
            if (value === null) return
            setCurrency(value)
            choose(amount ?? chosen)
          }}
          allowDeselect={false}
          searchable
        />
        <TextInput
          label="Description"
          value={description}
          onChange={({ currentTarget }) => setDescription(currentTarget.value)}
          maxLength={1_000}
        />
        <Switch
          label="Authorise now, capture later"
          checked={isHeld}
          onChange={({ currentTarget }) => setIsHeld(currentTarget.checked)}
        />
        <Group gap="xs" align="flex-end" wrap="nowrap">
          <TextInput
            label="Idempotency key"
            description="The same key returns the same answer."
            value={key}
            onChange={({ currentTarget }) => setKey(currentTarget.value)}
            required
            maxLength={255}
            flex={1}
          />
          <Button variant="default" onClick={() => setKey(newKey())}>
            New key
          </Button>
        </Group>
        {!production && <MagicAmounts onChoose={choose} />}
        {pay.isError && <Refused error={pay.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={pay.isPending}>
            Cancel
          </Button>
          <Button type="submit" loading={pay.isPending} disabled={amount === undefined}>
            {isHeld ? 'Authorise' : 'Charge'} {formatMoney(amount ?? 0, currency)}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function Refused({ error }: { error: Error }) {
  const isExplained = error instanceof ApiProblem && error.errors.length === 0
  return (
    <Alert color="red" role="alert">
      <Text size="sm">{isExplained ? error.message : sentenceOf(error)}</Text>
      {isExplained && <CodeNote code={error.code} />}
    </Alert>
  )
}

/** What the simulated gateway does with amounts that end so. */
const FATES = [
  { amount: 1_999, ends: 'any other amount', means: 'is charged, and its webhook arrives' },
  { amount: 1_002, ends: 'ends in 02', means: 'is declined' },
  { amount: 1_008, ends: 'ends in 08', means: 'is charged, but the answer never arrives' },
  { amount: 1_050, ends: 'ends in 50', means: 'makes the gateway fail; nothing is charged' },
] as const

/** In development amounts choose what happens. */
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
