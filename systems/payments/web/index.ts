import { IconChecks, IconCreditCard, IconScale, IconWebhook } from '@tabler/icons-react'
import type { Web } from '@posthorn/dashboard/kit'

/** Sources of alerts other than outboxes; their subjects begin with a payment's id. */
const ALERTS = new Set([
  'payments.completer',
  'payments.disputes',
  'payments.ledger',
  'payments.lookups',
  'payments.webhooks',
])

function deliveryPage(id: string): string {
  return `/webhooks/deliveries?open=${encodeURIComponent(id)}`
}

const PAYMENTS = {
  title: 'Payments',
  views: [
    { to: '/payments', title: 'Payments' },
    { to: '/approvals', title: 'Approvals' },
    { to: '/payments/returns', title: 'Refunds and disputes' },
    { to: '/payments/events', title: 'Gateway events' },
    { to: '/reconciliation', title: 'Reconciliation' },
  ],
}

/** Also loaded by Node, for the addresses of the pages: components are imported when they are shown. */
export const web: Web = {
  pages: [
    {
      name: 'payments',
      title: 'Payments',
      icon: IconCreditCard,
      key: 'p',
      readers: 'everyone',
      actions: [{ title: 'Take a payment', to: '/payments' }],
      section: PAYMENTS,
      views: {
        '': () => import('./payments/payments.tsx').then(({ Payments }) => Payments),
        returns: () => import('./payments/returns.tsx').then(({ Returns }) => Returns),
        events: () => import('./payments/events.tsx').then(({ Events }) => Events),
      },
    },
    {
      name: 'approvals',
      title: 'Approvals',
      icon: IconChecks,
      key: 'v',
      readers: 'everyone',
      section: PAYMENTS,
      badge: () => import('./approvals/pending-count.tsx').then(({ PendingCount }) => PendingCount),
      views: { '': () => import('./approvals/approvals.tsx').then(({ Approvals }) => Approvals) },
    },
    {
      name: 'webhooks',
      title: 'Webhooks',
      icon: IconWebhook,
      key: 'w',
      readers: 'everyone',
      actions: [
        { title: 'Create a webhook endpoint', to: '/webhooks' },
        { title: 'Retry failed deliveries', to: '/webhooks/deliveries?status=abandoned' },
      ],
      section: {
        title: 'Webhooks',
        views: [
          { to: '/webhooks', title: 'Endpoints' },
          { to: '/webhooks/deliveries', title: 'Deliveries' },
          { to: '/webhooks/runs', title: 'Retries' },
        ],
      },
      inPortal: true,
      views: {
        '': () => import('./webhooks/endpoints.tsx').then(({ Endpoints }) => Endpoints),
        deliveries: () => import('./webhooks/deliveries.tsx').then(({ Deliveries }) => Deliveries),
        runs: () => import('./webhooks/deliveries.tsx').then(({ Runs }) => Runs),
      },
    },
    {
      name: 'reconciliation',
      title: 'Reconciliation',
      icon: IconScale,
      key: 'r',
      readers: 'everyone',
      section: PAYMENTS,
      actions: [{ title: 'Upload a statement', to: '/reconciliation' }],
      views: {
        '': () =>
          import('./reconciliation/reconciliation.tsx').then(
            ({ Reconciliation }) => Reconciliation,
          ),
        profiles: () =>
          import('./reconciliation/statements/profiles.tsx').then(({ Profiles }) => Profiles),
        $id: () => import('./reconciliation/runs/run-page.tsx').then(({ RunPage }) => RunPage),
      },
    },
  ],
  outboxes: {
    'payments.webhook-deliveries': {
      page: { title: 'Requests and responses', to: deliveryPage },
    },
  },
  alertPage({ source, code, subject }) {
    if (!ALERTS.has(source)) return undefined
    if (subject === undefined) return '/payments'
    // An event whose payment is not here, else a payment or a part of one.
    if (code === 'PAYMENT_UNKNOWN') return `/payments/events?open=${encodeURIComponent(subject)}`
    return `/payments?open=${encodeURIComponent(subject.split('/')[0] ?? '')}`
  },
  holds: { payment: 'A payment', reconciliation: 'A reconciliation run' },
  links: { 'webhook endpoints': () => '/webhooks', 'webhook delivery': deliveryPage },
}
