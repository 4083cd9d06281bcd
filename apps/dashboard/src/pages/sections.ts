import type { Section } from '../parts/section-frame.tsx'

export const OUTBOUND: Section = {
  title: 'Outbound messages',
  views: [
    { to: '/outbound', title: 'Messages' },
    { to: '/outbound/templates', title: 'Templates' },
    { to: '/outbound/accounts', title: 'Accounts' },
  ],
}

export const INCIDENTS: Section = {
  title: 'Incidents',
  views: [
    { to: '/incidents', title: 'Incidents' },
    { to: '/alerts', title: 'Alerts' },
    { to: '/incidents/notices', title: 'Notices' },
  ],
}

export const RETENTION: Section = {
  title: 'Data retention',
  views: [
    { to: '/retention', title: 'Kept data' },
    { to: '/retention/holds', title: 'Legal holds' },
    { to: '/retention/erasures', title: 'Erasures' },
  ],
}

export const WEBHOOKS: Section = {
  title: 'Webhooks',
  views: [
    { to: '/webhooks', title: 'Endpoints' },
    { to: '/webhooks/deliveries', title: 'Deliveries' },
    { to: '/webhooks/runs', title: 'Retry runs' },
  ],
}

export const PAYMENTS: Section = {
  title: 'Payments',
  views: [
    { to: '/payments', title: 'Payments' },
    { to: '/payments/events', title: 'Gateway events' },
  ],
}
