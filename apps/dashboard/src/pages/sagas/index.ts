import { IconRoute } from '@tabler/icons-react'
import type { Page } from '../page.ts'

export const sagas: Page = {
  name: 'sagas',
  title: 'Orders & sagas',
  group: 'Systems',
  icon: IconRoute,
  key: 't',
  readers: 'everyone',
  views: {
    '': () => import('./sagas.tsx').then(({ Sagas }) => Sagas),
    $id: () => import('./saga.tsx').then(({ Saga }) => Saga),
  },
}
