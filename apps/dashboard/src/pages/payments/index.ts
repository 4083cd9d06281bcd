import { IconCreditCard } from '@tabler/icons-react'
import type { Page } from '../page.ts'

export const payments: Page = {
  name: 'payments',
  title: 'Payments',
  group: 'Systems',
  icon: IconCreditCard,
  key: 'p',
  readers: 'everyone',
  views: { '': () => import('./payments.tsx').then(({ Payments }) => Payments) },
}
