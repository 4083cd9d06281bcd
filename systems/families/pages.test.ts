import { createHash } from 'node:crypto'
import { createApp, createVerifier } from '@posthorn/http'
import { expect, test } from 'vitest'
import { graphiqlRoute } from './graphiql.ts'
import { invitationPage } from './invitation-page.ts'

const app = await createApp({
  title: 'pages',
  version: '1',
  production: false,
  verify: createVerifier({ secret: 'x'.repeat(32) }),
})
graphiqlRoute(app)
invitationPage(app)

test('GraphiQL loads nothing from elsewhere, and only its own scripts may run', async () => {
  const { statusCode, headers, body } = await app.inject('/graphiql')
  expect(statusCode).toBe(200)
  expect(body).not.toMatch(/<(script|link)[^>]+(src|href)="https?:/)
  const policy = String(headers['content-security-policy'])
  expect(policy).not.toMatch(/script-src[^;]*unsafe/)
  for (const [, text = ''] of body.matchAll(/<script>([\s\S]*?)<\/script>/g)) {
    expect(policy).toContain(createHash('sha256').update(text).digest('base64'))
  }
})

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
