import { IconMail } from '@tabler/icons-react'
import type { Page } from '../page.ts'

export const messages: Page = {
  name: 'messages',
  title: 'Messages',
  group: 'Operate',
  icon: IconMail,
  key: 'm',
  readers: 'operators',
  views: { '': () => import('./messages.tsx').then(({ Messages }) => Messages) },
}
