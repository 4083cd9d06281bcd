import type { Gateway } from './gateway.ts'
import { createPosthornGateway } from './posthorn.ts'
import { SIMULATED, type GatewayOptions } from './settings.ts'
import { createStripeGateway } from './stripe/adapter.ts'

/** The gateway that the settings name. */
export function createGateway({ settings, baseUrl }: GatewayOptions): Gateway {
  const timeoutMs = settings.GATEWAY_TIMEOUT_MS
  const at = (url: string, name: string) =>
    url === SIMULATED ? `${baseUrl()}/sim/${name}` : url.replace(/\/$/, '')
  if (settings.GATEWAY === 'stripe') {
    const { STRIPE_API_URL: url = SIMULATED, STRIPE_API_KEY: apiKey = '' } = settings
    const usual = url === SIMULATED ? 'pm_card_visa' : undefined
    return createStripeGateway({
      ...{ origin: () => at(url, 'stripe'), apiKey, timeoutMs },
      paymentMethod: settings.STRIPE_PAYMENT_METHOD ?? usual,
    })
  }
  const { GATEWAY_URL: url, GATEWAY_API_KEY: apiKey } = settings
  return createPosthornGateway({ origin: () => at(url, 'gateway'), apiKey, timeoutMs })
}
