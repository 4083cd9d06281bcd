import { IconPlayerPlay } from '@tabler/icons-react'
import type { Page } from '../page.ts'

export const demo: Page = {
  name: 'demo',
  title: 'Demonstration',
  group: 'Development',
  icon: IconPlayerPlay,
  key: 'h',
  readers: 'operators',
  where: 'development',
  views: {
    '': () => import('./demo.tsx').then(({ Demo }) => Demo),
  },
}
