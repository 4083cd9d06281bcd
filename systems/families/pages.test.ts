import { createApp, createVerifier } from '@posthorn/http'
import { expect, test } from 'vitest'
import { invitationPage } from './routes.ts'

const app = await createApp({
  title: 'pages',
  version: '1',
  production: false,
  verify: createVerifier({ secret: 'x'.repeat(32) }),
})
invitationPage(app)

test('the page of an invitation shows its token and runs nothing that stands in it', async () => {
  const token = encodeURIComponent('"><script>alert(1)</script>')
  const { statusCode, headers, body } = await app.inject(`/invitations?token=${token}`)
  expect(statusCode).toBe(200)
  expect(body).toContain('&#60;script&#62;alert(1)')
  expect(body).not.toContain('<script>')
  expect(headers['cache-control']).toBe('no-store')
  const bare = await app.inject('/invitations')
  expect(bare.statusCode).toBe(200)
})
