import { Button, SegmentedControl } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconShoppingCart } from '@tabler/icons-react'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { PageFrame } from '../../parts/page-frame.tsx'
import { OrderList } from './order-list.tsx'
import { PlaceOrder } from './place-order.tsx'
import { SagaList } from './saga-list.tsx'

const LISTS = [
  { value: 'orders', label: 'Orders' },
  { value: 'sagas', label: 'Sagas' },
]

/** Orders, and the sagas that carry them through. */
export function Sagas() {
  const { list } = useSearch({ strict: false }) as { list?: string }
  const navigate = useNavigate()
  const [isPlacing, placing] = useDisclosure(false)
  const shown = list === 'sagas' ? 'sagas' : 'orders'
  return (
    <PageFrame
      title="Orders & sagas"
      lead="An order reserves stock, takes a payment and books a shipment, each after the other. If one fails, the others are undone."
      actions={
        <Button leftSection={<IconShoppingCart size={14} aria-hidden />} onClick={placing.open}>
          Place an order
        </Button>
      }
    >
      <SegmentedControl
        aria-label="What is listed"
        data={LISTS}
        value={shown}
        // A state of one list is none of the other.
        onChange={(next) =>
          void navigate({
            to: '.',
            search: next === 'orders' ? {} : { list: next },
            replace: true,
          } as never)
        }
        style={{ alignSelf: 'flex-start' }}
      />
      {shown === 'sagas' ? <SagaList /> : <OrderList onPlace={placing.open} />}
      <PlaceOrder isOpen={isPlacing} onClose={placing.close} />
    </PageFrame>
  )
}
