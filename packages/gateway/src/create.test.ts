import { readSettings } from '@posthorn/system'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { gatewaySettings } from './create.ts'

test('production wants the settings of the gateway that is chosen, and no other’s', () => {
  const gateway = Type.Object(gatewaySettings)
  const missingOf = (env: Record<string, string>) =>
    readSettings(gateway, { env, production: true }).mistakes.map((each) => each.split(' ', 1)[0])
  expect(missingOf({})).toEqual(['GATEWAY_URL', 'GATEWAY_API_KEY'])
  expect(missingOf({ GATEWAY: 'posthorn' })).toEqual(['GATEWAY_URL', 'GATEWAY_API_KEY'])
  expect(missingOf({ GATEWAY: 'stripe' })).toEqual(['STRIPE_API_URL', 'STRIPE_API_KEY'])
  const env = { STRIPE_API_URL: 'https://api.stripe.com', STRIPE_API_KEY: 'pk_test_public' }
  expect(missingOf({ GATEWAY: 'stripe', ...env })).toEqual(['STRIPE_API_KEY'])
  expect(missingOf({ GATEWAY: 'paypal' })).toContain('GATEWAY')
})
