import { IconBrandWhatsapp } from '@tabler/icons-react'
import type { Page } from '../page.ts'

export const outbound: Page = {
  name: 'outbound',
  title: 'Outbound messages',
  group: 'Systems',
  icon: IconBrandWhatsapp,
  key: 's',
  readers: 'everyone',
  views: {
    '': () => import('./outbound.tsx').then(({ Outbound }) => Outbound),
    'dossiers/$id': () => import('./dossier.tsx').then(({ Dossier }) => Dossier),
  },
}
