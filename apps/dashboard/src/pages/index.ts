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
    group: 'Operate',
    icon: IconLayoutDashboard,
    key: 'o',
    readers: 'platform',
    views: { '': () => import('./overview/overview.tsx').then(({ Overview }) => Overview) },
  },
  {
    name: 'outboxes',
    title: 'Outboxes',
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
    group: 'Development',
    icon: IconPlayerPlay,
    key: 'h',
    readers: 'platform',
    needs: 'demo',
    where: 'development',
    views: { '': () => import('./demo/demo.tsx').then(({ Demo }) => Demo) },
  },
]
