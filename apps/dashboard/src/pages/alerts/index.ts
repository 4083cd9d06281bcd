import { IconBell } from '@tabler/icons-react'
import type { Page } from '../page.ts'

export const alerts: Page = {
  name: 'alerts',
  title: 'Alerts',
  group: 'Operate',
  icon: IconBell,
  key: 'a',
  readers: 'operators',
  views: { '': () => import('./alerts.tsx').then(({ Alerts }) => Alerts) },
}
