import type { SystemWorld } from '@posthorn/dashboard/testing'

export const world: SystemWorld = {
  env: { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' },
  views: [
    ['approvals', '/approvals', 'No proposals'],
    ['payments', '/payments', '€10.00'],
    ['payment', '/payments?open=:payment', 'a lamp'],
    ['payment-disputes', '/payments/returns', 'No disputes'],
    ['payment-refunds', '/payments/returns?tab=refunds', 'No refunds'],
    ['payment-events', '/payments/events', 'payment.succeeded'],
    ['payment-event', '/payments/events?open=:event', 'Raw event'],
    ['payment-journey', '/journey?id=:payment', 'Payment created'],
    ['endpoints', '/webhooks', '/nowhere'],
    ['endpoint', '/webhooks?open=:endpoint', 'Delete'],
    ['deliveries', '/webhooks/deliveries', 'webhook.ping'],
    ['delivery', '/webhooks/deliveries?open=:delivery', 'answered 40'],
    ['webhook-runs', '/webhooks/runs', 'Retried'],
    ['reconciliation', '/reconciliation', 'bank.csv'],
    ['reconciliation-run', '/reconciliation/:run', 'amount differs'],
    ['reconciliation-exception', '/reconciliation/:run?open=2', 'differs'],
    ['reconciliation-profiles', '/reconciliation/profiles', 'New profile'],
  ],
  async fill({ dashboard, create, first, reaches, upload }) {
    const payment = { amount: 1_000, currency: 'EUR', description: 'a lamp' }
    const { id = '' } = await create('/api/v1/payments', { ...payment, externalPaymentId: 'lamp' })
    const event = await first(`/api/v1/webhook-events?paymentId=${id}`)
    const nowhere = { url: `${dashboard.url}/nowhere`, eventTypes: ['webhook.ping'] }
    const { id: endpoint = '' } = await create('/api/v1/webhook-endpoints', nowhere)
    const ping = `/api/v1/webhook-endpoints/${endpoint}/ping`
    const { deliveryId: delivery = '' } = await create(ping, {})
    const csv = 'external_transaction_id,amount,currency,date\nlamp,9.85,EUR,2026-03-07\n'
    const { id: run = '' } = await upload(
      '/api/v1/reconciliations?filename=bank.csv',
      'text/csv',
      csv,
    )
    await dashboard.call(`/api/v1/reconciliations/${run}/run`, { body: {} })
    await reaches(`/api/v1/webhook-deliveries/${delivery}`, 'abandoned')
    return { payment: id, event, endpoint, delivery, run }
  },
}
