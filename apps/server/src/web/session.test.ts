import { testDatabase } from '@posthorn/engine/testing'
import { expect, test } from 'vitest'
import { testServer } from '../testing/test-server.ts'

const database = await testDatabase()
const { pool } = database
const server = await testServer(database)
const behindProxy = await testServer(database, {
  env: { POSTHORN_BASE_URL: 'https://example.com' },
})

type Headers = Record<string, string>

const ask = (path: string, method: string, headers: Headers = {}, url = server.url) =>
  fetch(`${url}${path}`, { method, headers })

interface LoginOptions {
  readonly url?: string
  readonly headers?: Headers
}

async function logIn(token: string, { url = server.url, headers = {} }: LoginOptions = {}) {
  const response = await fetch(`${url}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ token }),
  })
  const [cookie = ''] = response.headers.getSetCookie()
  return { response, cookie, sent: { cookie: cookie.split(';', 1)[0] ?? '' } }
}

const statusWith = async (headers: Headers) => (await ask('/api/v1/me', 'GET', headers)).status

test('a token becomes a cookie that no script reads and no other site uses', async () => {
  const { response, cookie, sent } = await logIn(await server.tokenFor({ role: 'platform' }))
  expect(response.status).toBe(201)
  expect(await response.json()).toMatchObject({ sub: 'ada', org: 'demo', role: 'platform' })
  expect(cookie).toMatch(
    /^posthorn_session_\d+=[\w-]{43}; Path=\/; Max-Age=3(600|599); HttpOnly; SameSite=Strict$/,
  )
  const me = await ask('/api/v1/me', 'GET', sent)
  expect(await me.json()).toMatchObject({ sub: 'ada', org: 'demo', role: 'platform' })
  // The table has nothing that lets anyone in.
  const { rows } = await pool.query('select * from posthorn.login')
  expect(JSON.stringify(rows)).not.toContain(sent.cookie.split('=')[1])

  const pause = (headers: Headers) =>
    ask('/api/v1/outboxes/example.greetings/pause', 'POST', { ...sent, ...headers })
  const foreign = await pause({ 'sec-fetch-site': 'cross-site' })
  expect(foreign.status).toBe(403)
  expect(await foreign.json()).toMatchObject({ code: 'CROSS_SITE' })
  expect((await pause({ 'sec-fetch-site': 'same-site' })).status).toBe(403)
  expect((await pause({ origin: 'https://evil.example' })).status).toBe(403)
  expect((await pause({ 'sec-fetch-site': 'same-origin' })).status).toBe(200)
  expect((await pause({ origin: server.url })).status).toBe(200)
  const { response: refused } = await logIn(await server.tokenFor({}), {
    headers: { 'sec-fetch-site': 'cross-site' },
  })
  expect(refused.status).toBe(403)
})

test('the cookie goes over https alone where browsers use that', async () => {
  const { cookie } = await logIn(await behindProxy.tokenFor({}), { url: behindProxy.url })
  expect(cookie).toContain('; Secure')
})

test('a token that is refused opens no session, and no token of a header is looked past', async () => {
  const { response, cookie } = await logIn('rubbish')
  expect({ status: response.status, cookie }).toEqual({ status: 401, cookie: '' })
  const { sent } = await logIn(await server.tokenFor({}))
  expect(await statusWith({ ...sent, authorization: 'Bearer rubbish' })).toBe(401)
  expect(await statusWith({ cookie: sent.cookie.replace(/.$/, '!') })).toBe(401)
})

test('logging out ends this session, everywhere all of the user', async () => {
  const token = await server.tokenFor({ sub: 'bea' })
  const [one, two, three] = [await logIn(token), await logIn(token), await logIn(token)]
  const other = await logIn(await server.tokenFor({ sub: 'cy' }))
  const out = await ask('/api/v1/session', 'DELETE', one.sent)
  expect(out.status).toBe(204)
  expect(out.headers.getSetCookie()[0]).toContain('Max-Age=0')
  expect(await statusWith(one.sent)).toBe(401)
  expect(await statusWith(two.sent)).toBe(200)
  const everywhere = await ask('/api/v1/sessions', 'DELETE', two.sent)
  expect(await everywhere.json()).toEqual({ ended: 2 })
  expect(await statusWith(two.sent)).toBe(401)
  expect(await statusWith(three.sent)).toBe(401)
  expect(await statusWith(other.sent)).toBe(200)
})

test('a session ends with its time, and the next login forgets it', async () => {
  const { sent } = await logIn(await server.tokenFor({ sub: 'dan' }))
  await pool.query(
    `update posthorn.login set expires_at = now() - interval '1 s' where sub = 'dan'`,
  )
  expect(await statusWith(sent)).toBe(401)
  await logIn(await server.tokenFor({}))
  const { rows } = await pool.query(`select from posthorn.login where sub = 'dan'`)
  expect(rows).toHaveLength(0)
})

test('logging in again replaces the session of the browser', async () => {
  const first = await logIn(await server.tokenFor({ sub: 'eli' }))
  const second = await logIn(await server.tokenFor({ sub: 'eli' }), { headers: first.sent })
  expect(await statusWith(first.sent)).toBe(401)
  expect(await statusWith(second.sent)).toBe(200)
})
