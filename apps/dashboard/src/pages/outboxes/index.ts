import { IconMailbox } from '@tabler/icons-react'
import type { Page } from '../page.ts'

export const outboxes: Page = {
  name: 'outboxes',
  title: 'Outboxes',
  group: 'Operate',
  icon: IconMailbox,
  key: 'b',
  readers: 'operators',
  views: {
    '': () => import('./outboxes.tsx').then(({ Outboxes }) => Outboxes),
    $name: () => import('./outbox.tsx').then(({ Outbox }) => Outbox),
  },
}
