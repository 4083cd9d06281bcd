import { IconUsersGroup } from '@tabler/icons-react'
import type { Page } from '../page.ts'

export const families: Page = {
  name: 'families',
  title: 'Families',
  group: 'Systems',
  icon: IconUsersGroup,
  key: 'f',
  readers: 'everyone',
  views: {
    '': () => import('./families.tsx').then(({ Families }) => Families),
    mailbox: () => import('./mailbox.tsx').then(({ Mailbox }) => Mailbox),
    $id: () => import('./family.tsx').then(({ Family }) => Family),
  },
}
