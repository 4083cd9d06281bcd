import { IconBrandWhatsapp, IconMessages } from '@tabler/icons-react'
import type { Web } from '@posthorn/dashboard/kit'
import { providerMeaning } from './provider-code.ts'

const OUTBOUND = {
  title: 'Outbound messages',
  views: [
    { to: '/outbound', title: 'Outbound messages' },
    { to: '/conversations', title: 'Conversations' },
    { to: '/outbound/templates', title: 'Templates' },
    { to: '/outbound/accounts', title: 'Accounts' },
  ],
}

const conversations = () =>
  import('./conversations/conversations.tsx').then(({ Conversations }) => Conversations)

/** Also loaded by Node, for the addresses of the pages: components are imported when they are shown. */
export const web: Web = {
  pages: [
    {
      name: 'outbound',
      title: 'Outbound messages',
      icon: IconBrandWhatsapp,
      key: 's',
      readers: 'everyone',
      actions: [{ title: 'Send a message', to: '/outbound' }],
      section: OUTBOUND,
      views: {
        '': () => import('./outbound/outbound.tsx').then(({ Outbound }) => Outbound),
        templates: () => import('./outbound/templates.tsx').then(({ Templates }) => Templates),
        accounts: () => import('./outbound/accounts.tsx').then(({ Accounts }) => Accounts),
        'dossiers/$id': () => import('./outbound/dossier.tsx').then(({ Dossier }) => Dossier),
      },
    },
    {
      name: 'conversations',
      section: OUTBOUND,
      title: 'Conversations',
      icon: IconMessages,
      key: 'n',
      readers: 'everyone',
      views: { '': conversations, $id: conversations },
    },
  ],
  outboxes: { 'messages.outbound': { explain: providerMeaning } },
  alertPage: ({ source }) => (source === 'messages.accounts' ? '/outbound/accounts' : undefined),
  holds: { dossier: 'A dossier' },
  simulators: {
    whatsapp: {
      title: 'Write as a person',
      form: () => import('./person-form.tsx').then(({ PersonForm }) => PersonForm),
    },
  },
}
