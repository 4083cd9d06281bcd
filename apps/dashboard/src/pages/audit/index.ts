import { IconHistory } from '@tabler/icons-react'
import type { Page } from '../page.ts'

export const audit: Page = {
  name: 'audit',
  title: 'Audit',
  group: 'Operate',
  icon: IconHistory,
  key: 'u',
  readers: 'operators',
  views: { '': () => import('./audit.tsx').then(({ Audit }) => Audit) },
}
