import { IconWebhook } from '@tabler/icons-react'
import type { Page } from '../page.ts'

export const webhooks: Page = {
  name: 'webhooks',
  title: 'Webhooks',
  group: 'Systems',
  icon: IconWebhook,
  key: 'w',
  readers: 'everyone',
  views: {
    '': () => import('./endpoints.tsx').then(({ Endpoints }) => Endpoints),
    deliveries: () => import('./deliveries.tsx').then(({ Deliveries }) => Deliveries),
    runs: () => import('./runs.tsx').then(({ Runs }) => Runs),
  },
}
