import { IconScale } from '@tabler/icons-react'
import type { Page } from '../page.ts'

export const reconciliation: Page = {
  name: 'reconciliation',
  title: 'Reconciliation',
  group: 'Systems',
  icon: IconScale,
  key: 'r',
  readers: 'everyone',
  views: {
    '': () => import('./reconciliation.tsx').then(({ Reconciliation }) => Reconciliation),
    profiles: () => import('./profiles.tsx').then(({ Profiles }) => Profiles),
    $id: () => import('./run-page.tsx').then(({ RunPage }) => RunPage),
  },
}
