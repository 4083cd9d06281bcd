import { IconRoute } from '@tabler/icons-react'
import type { Web } from '@posthorn/dashboard/kit'

/** Also loaded by Node, for the addresses of the pages: components are imported when they are shown. */
export const web: Web = {
  pages: [
    {
      name: 'sagas',
      title: 'Orders & sagas',
      icon: IconRoute,
      key: 't',
      readers: 'everyone',
      actions: [{ title: 'Place an order', to: '/sagas' }],
      views: {
        '': () => import('./sagas.tsx').then(({ Sagas }) => Sagas),
        $id: () => import('./saga.tsx').then(({ Saga }) => Saga),
      },
    },
  ],
  alertPage({ source, subject }) {
    if (source !== 'sagas') return undefined
    return subject === undefined ? '/sagas' : `/sagas/${encodeURIComponent(subject)}`
  },
  holds: { saga: 'A saga with its order' },
}
