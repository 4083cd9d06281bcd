import { IconSkull } from '@tabler/icons-react'
import type { Page } from '../page.ts'

export const deadLetters: Page = {
  name: 'dead-letters',
  title: 'Dead letters',
  group: 'Operate',
  icon: IconSkull,
  key: 'd',
  readers: 'operators',
  views: { '': () => import('./dead-letters.tsx').then(({ DeadLetters }) => DeadLetters) },
}
