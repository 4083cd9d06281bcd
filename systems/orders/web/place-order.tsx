import {
  Alert,
  Button,
  Checkbox,
  Group,
  Modal,
  NumberInput,
  SimpleGrid,
  Stack,
  TextInput,
} from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState, type SubmitEvent } from 'react'
import {
  dataOf,
  MoneyInput,
  type paths,
  sentenceOf,
  useAction,
  useApi,
  useRequestKey,
  useUser,
} from '@posthorn/dashboard/kit'

type NewOrder = paths['/api/v1/orders']['post']['requestBody']['content']['application/json']

interface PlaceOrderProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Places one order and goes to its saga; pressing twice places it once. */
export function PlaceOrder({ isOpen, onClose }: PlaceOrderProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Place 1 order">
      <Form onClose={onClose} />
    </Modal>
  )
}

function Form({ onClose }: { onClose: () => void }) {
  const api = useApi()
  const key = useRequestKey()
  const navigate = useNavigate()
  const { production } = useUser()
  const [sku, setSku] = useState('LAMP')
  const [quantity, setQuantity] = useState<number | string>(1)
  const [amount, setAmount] = useState<number | undefined>(2_500)
  const [currency, setCurrency] = useState('EUR')
  const [isHeld, setHeld] = useState(false)
  const place = useAction({
    run: (body: NewOrder) =>
      dataOf(
        api.POST('/api/v1/orders', { body, headers: { 'idempotency-key': key.keyFor(body) } }),
      ),
    done: () => 'Order placed.',
    changes: ['sagas'],
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const items = [{ sku: sku.trim(), quantity: Number(quantity) }]
    place.mutate(
      { items, amount: amount ?? 0, currency: currency.trim(), ...(isHeld && { hold: true }) },
      {
        onSuccess: ({ sagaId }) => {
          key.done()
          onClose()
          void navigate({ to: '/sagas/$id', params: { id: sagaId } } as never)
        },
      },
    )
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <SimpleGrid cols={2} spacing="sm">
          <TextInput
            label="Sku"
            value={sku}
            onChange={({ currentTarget }) => setSku(currentTarget.value)}
            maxLength={64}
            required
            data-autofocus
          />
          <NumberInput
            label="Quantity"
            min={1}
            allowDecimal={false}
            value={quantity}
            onChange={setQuantity}
            required
          />
          <MoneyInput
            key={currency}
            label="Amount"
            currency={currency}
            initial={amount ?? 2_500}
            onChange={setAmount}
          />
          <TextInput
            label="Currency"
            value={currency}
            onChange={({ currentTarget }) => setCurrency(currentTarget.value.toUpperCase())}
            maxLength={3}
            required
          />
        </SimpleGrid>
        <Checkbox
          label="Hold it until an operator releases it"
          checked={isHeld}
          onChange={({ currentTarget }) => setHeld(currentTarget.checked)}
        />
        {!production && (
          <Alert color="gray" role="note" title="Simulated failures">
            The sku <code>OUT-OF-STOCK</code> cannot be reserved. An amount ending in 02 is
            declined, in 50 the gateway fails, in 08 it charges and never answers.
          </Alert>
        )}
        {place.isError && (
          <Alert color="red" role="alert">
            {sentenceOf(place.error)}
          </Alert>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={place.isPending} disabled={amount === undefined}>
            Place 1 order
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
