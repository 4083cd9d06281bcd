import { Alert, Checkbox, NumberInput, SimpleGrid, TextInput } from '@mantine/core'
import { IconShoppingCart } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import {
  ActionForm,
  type BodyOf,
  DialogButton,
  MoneyInput,
  post,
  useAction,
  useDraft,
  useRequestKey,
  useUser,
} from '@posthorn/dashboard/kit'

type NewOrder = BodyOf<'/api/v1/orders'>

export function PlaceOrder() {
  return (
    <DialogButton
      to="write"
      leftSection={<IconShoppingCart size={14} aria-hidden />}
      label="Place an order"
      title="Place 1 order"
    >
      {(close) => <Fields onClose={close} />}
    </DialogButton>
  )
}

const INITIAL = {
  sku: 'LAMP',
  quantity: 1 as number | string,
  /** In minor units; undefined if it is not an amount. */
  amount: 2_500 as number | undefined,
  currency: 'EUR',
  isHeld: false,
}

/** Places one order and goes to its saga; pressing twice places it once. */
function Fields({ onClose }: { onClose: () => void }) {
  const key = useRequestKey()
  const navigate = useNavigate()
  const { production } = useUser()
  const { draft, set, text, value, check } = useDraft(INITIAL)
  const { amount, currency } = draft
  const place = useAction({
    run: () => {
      const items = [{ sku: draft.sku.trim(), quantity: Number(draft.quantity) }]
      const held = draft.isHeld && { hold: true }
      const body: NewOrder = { items, amount: amount ?? 0, currency: currency.trim(), ...held }
      const headers = { 'idempotency-key': key.keyFor(body) }
      return post('/api/v1/orders', { body, headers })
    },
    done: () => 'Order placed.',
    changes: ['sagas'],
  })
  return (
    <ActionForm
      action={place}
      onClose={onClose}
      verb="Place 1 order"
      disabled={amount === undefined}
      onDone={({ sagaId }) => {
        key.done()
        void navigate({ to: '/sagas/$id', params: { id: sagaId } } as never)
      }}
    >
      <SimpleGrid cols={2} spacing="sm">
        <TextInput label="Sku" {...text('sku')} maxLength={64} required data-autofocus />
        <NumberInput
          label="Quantity"
          min={1}
          allowDecimal={false}
          {...value('quantity')}
          required
        />
        <MoneyInput
          key={currency}
          label="Amount"
          currency={currency}
          initial={amount ?? 2_500}
          onChange={value('amount').onChange}
        />
        <TextInput
          label="Currency"
          value={currency}
          onChange={({ currentTarget }) => set({ currency: currentTarget.value.toUpperCase() })}
          maxLength={3}
          required
        />
      </SimpleGrid>
      <Checkbox label="Hold it until an operator releases it" {...check('isHeld')} />
      {!production && (
        <Alert color="gray" role="note" title="Simulated failures">
          The sku <code>OUT-OF-STOCK</code> cannot be reserved. An amount ending in 02 is declined,
          in 50 the gateway fails, in 08 it charges and never answers.
        </Alert>
      )}
    </ActionForm>
  )
}
