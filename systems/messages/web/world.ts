import type { SystemWorld } from '@posthorn/dashboard/testing'

export const world: SystemWorld = {
  env: { OUTBOUND_WORKER_POLL_INTERVAL_MS: '500' },
  views: [
    ['outbound', '/outbound', '+16505550047'],
    ['outbound-message', '/outbound?open=:outboundMessage', 'Attempt 1: failed'],
    ['templates', '/outbound/templates', 'No templates yet'],
    ['accounts', '/outbound/accounts', 'Default account for email'],
    ['dossier', '/outbound/dossiers/case.7', 'whatsapp'],
    ['conversations', '/conversations', 'Yes, I will come'],
    ['conversation', '/conversations/:conversation', 'Open until'],
  ],
  async fill({ dashboard, create, first, reaches }) {
    const message = {
      ...{ channel: 'whatsapp', to: '+16505550047', templateCode: 'otp_code' },
      payloadJson: { language: 'en_US', parameters: ['4711'] },
    }
    const { id: outboundMessage = '' } = await create('/api/v1/outbound/messages', message)
    await create('/api/v1/outbound/messages', { ...message, to: '+16505551234' })
    const said = { from: '+16505551234', text: 'Yes, I will come', name: 'Ada' }
    await dashboard.call('/sim/whatsapp/inbound', { body: said })
    const conversation = await first('/api/v1/conversations')
    const consent = { method: 'PUT', body: { granted: true } }
    await dashboard.call('/api/v1/dossiers/case.7/consents/whatsapp', consent)
    await reaches(`/api/v1/outbound/messages/${outboundMessage}`, 'FAILED')
    return { outboundMessage, conversation }
  },
}
