import { IconUsersGroup } from '@tabler/icons-react'
import type { Web } from '@posthorn/dashboard/kit'

/** Also loaded by Node, for the addresses of the pages: components are imported when they are shown. */
export const web: Web = {
  pages: [
    {
      name: 'families',
      title: 'Families',
      icon: IconUsersGroup,
      key: 'f',
      readers: 'everyone',
      views: {
        '': () => import('./families.tsx').then(({ Families }) => Families),
        mailbox: () => import('./mails.tsx').then(({ Mailbox }) => Mailbox),
        $id: () => import('./family.tsx').then(({ Family }) => Family),
      },
    },
  ],
  holds: { family: 'A family' },
}
