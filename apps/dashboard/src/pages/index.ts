import {
  IconBell,
  IconEar,
  IconEraser,
  IconFlask,
  IconHistory,
  IconLayoutDashboard,
  IconMail,
  IconMailbox,
  IconMailX,
  IconMapRoute,
  IconPlayerPlay,
  IconUrgent,
} from '@tabler/icons-react'
import type { Page, Section } from './page.ts'

const OUTBOXES: Section = {
  title: 'Outboxes',
  views: [
    { to: '/outboxes', title: 'Outboxes' },
    { to: '/outboxes/relays', title: 'Relays' },
    { to: '/consumers', title: 'Consumers' },
  ],
}

const MESSAGES: Section = {
  title: 'Messages',
  views: [
    { to: '/messages', title: 'Messages' },
    { to: '/dead-letters', title: 'Dead letters' },
    { to: '/journey', title: 'Journey' },
  ],
}

const INCIDENTS: Section = {
  title: 'Incidents',
  views: [
    { to: '/incidents', title: 'Incidents' },
    { to: '/alerts', title: 'Alerts' },
    { to: '/incidents/notices', title: 'Notices' },
  ],
}

const AUDIT: Section = {
  title: 'Audit',
  views: [
    { to: '/audit', title: 'Audit' },
    { to: '/audit/entries', title: 'Who did what' },
  ],
}

const RETENTION: Section = {
  title: 'Data retention',
  views: [
    { to: '/retention', title: 'Data retention' },
    { to: '/retention/holds', title: 'Legal holds' },
    { to: '/retention/erasures', title: 'Erasures' },
  ],
}

/** The operators' pages, in the order of the navigation. */
export const operatorPages: readonly Page[] = [
  {
    name: 'overview',
    title: 'Overview',
    about: 'What moves, what fails and what needs an operator, across all outboxes.',
    group: 'Operate',
    icon: IconLayoutDashboard,
    key: 'o',
    readers: 'platform',
    views: { '': () => import('./overview/overview.tsx').then(({ Overview }) => Overview) },
  },
  {
    name: 'outboxes',
    title: 'Outboxes',
    about: 'Each outbox as its states, with its rates, relays and breakers; pause and resume.',
    group: 'Operate',
    icon: IconMailbox,
    key: 'b',
    readers: 'platform',
    actions: [{ title: 'Pause or resume an outbox', to: '/outboxes' }],
    section: OUTBOXES,
    views: {
      '': () => import('./outboxes/outboxes.tsx').then(({ Outboxes }) => Outboxes),
      relays: () => import('./outboxes/relays.tsx').then(({ Relays }) => Relays),
      $name: () => import('./outboxes/outbox.tsx').then(({ Outbox }) => Outbox),
    },
  },
  {
    name: 'messages',
    title: 'Messages',
    about: 'Every message of your organisation: its state, why, and what can be done.',
    group: 'Operate',
    icon: IconMail,
    key: 'm',
    readers: 'operators',
    section: MESSAGES,
    views: { '': () => import('./messages/messages.tsx').then(({ Messages }) => Messages) },
  },
  {
    name: 'dead-letters',
    title: 'Dead letters',
    about: 'Dead messages by cause and outbox, to be replayed.',
    group: 'Operate',
    icon: IconMailX,
    key: 'd',
    readers: 'operators',
    actions: [{ title: 'Replay dead letters', to: '/dead-letters' }],
    section: MESSAGES,
    views: {
      '': () => import('./dead-letters/dead-letters.tsx').then(({ DeadLetters }) => DeadLetters),
    },
  },
  {
    name: 'journey',
    title: 'Journey',
    about: 'One business thing across all systems, from any of its ids.',
    group: 'Operate',
    icon: IconMapRoute,
    key: 'k',
    readers: 'everyone',
    needs: 'journeys',
    section: MESSAGES,
    views: { '': () => import('./journey/journey.tsx').then(({ Journey }) => Journey) },
  },
  {
    name: 'consumers',
    title: 'Consumers',
    about: 'Groups that read topics: how far behind they are, and what they could not handle.',
    group: 'Operate',
    icon: IconEar,
    key: 'c',
    readers: 'platform',
    section: OUTBOXES,
    views: { '': () => import('./consumers/consumers.tsx').then(({ Consumers }) => Consumers) },
  },
  {
    name: 'incidents',
    title: 'Incidents',
    about: 'What is wrong, one entry for each cause, until it is over.',
    group: 'Operate',
    icon: IconUrgent,
    key: 'i',
    readers: 'operators',
    needs: 'incidents',
    actions: [
      { title: 'Acknowledge incidents', to: '/incidents' },
      { title: 'Set up notices', to: '/incidents/notices' },
    ],
    section: INCIDENTS,
    views: {
      '': () => import('./incidents/incidents.tsx').then(({ Incidents }) => Incidents),
      notices: () => import('./incidents/notices.tsx').then(({ Notices }) => Notices),
    },
  },
  {
    name: 'alerts',
    title: 'Alerts',
    about: 'Every problem that needs an operator, with where to look.',
    group: 'Operate',
    icon: IconBell,
    key: 'a',
    readers: 'operators',
    section: INCIDENTS,
    views: { '': () => import('./alerts/alerts.tsx').then(({ Alerts }) => Alerts) },
  },
  {
    name: 'retention',
    title: 'Data retention',
    about: 'How long data is kept, legal holds, and the erasure of a person.',
    group: 'Data',
    icon: IconEraser,
    key: 'e',
    readers: 'admins',
    needs: 'retention',
    actions: [{ title: 'Erase a person', to: '/retention/erasures' }],
    section: RETENTION,
    views: {
      '': () => import('./retention/retention.tsx').then(({ Retention }) => Retention),
      holds: () => import('./retention/holds.tsx').then(({ Holds }) => Holds),
      erasures: () => import('./retention/holds.tsx').then(({ Erasures }) => Erasures),
    },
  },
  {
    name: 'audit',
    title: 'Audit',
    about: 'Who did what, and when.',
    group: 'Data',
    icon: IconHistory,
    key: 'u',
    readers: 'everyone',
    section: AUDIT,
    views: {
      '': () => import('./audit/audit.tsx').then(({ Audit }) => Audit),
      entries: () => import('./audit/audit.tsx').then(({ AuditEntries }) => AuditEntries),
    },
  },
  {
    name: 'simulators',
    title: 'Simulators and clock',
    about: 'The outside world as this server plays it: its faults and its clock.',
    group: 'Development',
    icon: IconFlask,
    key: 'x',
    readers: 'everyone',
    needs: 'simulators',
    where: 'development',
    actions: [{ title: 'Move the clock', to: '/simulators' }],
    views: {
      '': () => import('./simulators/simulators.tsx').then(({ Simulators }) => Simulators),
      $name: () => import('./simulators/simulators.tsx').then(({ Simulator }) => Simulator),
    },
  },
  {
    name: 'demo',
    title: 'Demo',
    about: 'A tour of the systems, step by step.',
    group: 'Development',
    icon: IconPlayerPlay,
    key: 'h',
    readers: 'platform',
    needs: 'demo',
    where: 'development',
    views: {
      '': () => import('./demo/demo.tsx').then(({ Demo }) => Demo),
    },
  },
]
