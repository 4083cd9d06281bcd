import { IconLayoutDashboard } from '@tabler/icons-react'
import type { Page } from '../page.ts'

export const overview: Page = {
  name: 'overview',
  title: 'Overview',
  group: 'Operate',
  icon: IconLayoutDashboard,
  key: 'o',
  readers: 'operators',
  views: { '': () => import('./overview.tsx').then(({ Overview }) => Overview) },
}
