import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { axe, openDashboard, screenshot } from './harness/index.ts'
import { startProvider } from './harness/provider.ts'

const GROUPS: Readonly<Record<string, readonly string[]>> = {
  ada: ['staff', 'posthorn-operators'],
  bob: ['staff'],
}

// In a provider's own words, which the server is configured with.
const provider = await startProvider({
  audience: 'posthorn',
  claims: (account) => ({
    groups: GROUPS[account] ?? [],
    ...(account !== 'eve' && { tenant: { name: 'demo' } }),
  }),
})
const dashboard = await openDashboard({
  env: {
    POSTHORN_JWT_SECRET: '',
    POSTHORN_JWKS_URL: provider.jwksUrl,
    POSTHORN_JWT_ISSUER: provider.issuer,
    POSTHORN_JWT_AUDIENCE: 'posthorn',
    POSTHORN_OIDC_AUTHORITY: provider.issuer,
    POSTHORN_OIDC_CLIENT_ID: 'dashboard',
    POSTHORN_OIDC_ORG_CLAIM: 'tenant.name',
    POSTHORN_OIDC_ROLE_CLAIM: 'groups',
    POSTHORN_OIDC_OPERATOR_ROLE: 'posthorn-operators',
  },
})
provider.admit({ id: 'dashboard', url: `${dashboard.url}/` })

const patient = { timeout: 60_000 }

async function atTheDoor(path: string, allowed: readonly RegExp[] = []): Promise<Page> {
  const page = await dashboard.open(path, { login: 'none', allowed })
  // The provider's own pages would fetch a font from elsewhere.
  await page.route('https://fonts.googleapis.com/**', (route) =>
    route.fulfill({ contentType: 'text/css', body: '' }),
  )
  return page
}

const loginButton = (page: Page) =>
  page.getByRole('button', { name: `Log in at ${new URL(provider.issuer).host}` })

async function logIn(page: Page, name: string): Promise<void> {
  await loginButton(page).click()
  await page.getByPlaceholder('Enter any login').fill(name)
  await page.getByPlaceholder('and password').fill('any')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
}

test('a login at the provider leads to the requested page, as the user that the server names', async () => {
  const page = await atTheDoor('/audit?search=anything')
  await loginButton(page).waitFor()
  await axe(page)
  await screenshot(page, 'login-provider')
  const left = page.waitForRequest((request) => request.url().startsWith(`${provider.issuer}/auth`))
  const login = logIn(page, 'ada')
  const asked = new URL((await left).url()).searchParams
  expect(asked.get('response_type')).toBe('code')
  expect(asked.get('code_challenge_method')).toBe('S256')
  await login
  await page.getByRole('heading', { name: 'Audit' }).waitFor(patient)
  expect(page.url()).toBe(`${dashboard.url}/audit?search=anything`)
  await page.getByText('operator of demo').waitFor()

  // The tab knows who it is after a reload too, and keeps no code that could be used again.
  await page.reload()
  await page.getByText('operator of demo').waitFor()
  expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('code_verifier')
})

test('the answer of the provider logs in once, and only the tab that asked', async () => {
  const page = await atTheDoor('/')
  const answered = page.waitForRequest(
    (request) => request.url().startsWith(`${dashboard.url}/?`) && /[?&]code=/.test(request.url()),
  )
  await logIn(page, 'bob')
  const { pathname, search } = new URL((await answered).url())
  await page.getByText('member of demo').waitFor(patient)
  for (const stolen of [search, search.replace(/state=[^&]+/, 'state=made-up')]) {
    const other = await atTheDoor(`${pathname}${stolen}`)
    await loginButton(other).waitFor(patient)
    expect(await other.getByText('member of demo').count()).toBe(0)
    const kept = await other.evaluate('JSON.stringify([localStorage, sessionStorage])')
    expect(kept).not.toContain('eyJ')
  }
})

test('a user without the operators’ role is a member', async () => {
  const page = await atTheDoor('/')
  await logIn(page, 'bob')
  await page.getByText('member of demo').waitFor(patient)
  expect(await page.getByRole('link', { name: 'Outboxes' }).count()).toBe(0)
})

test('a user that the server refuses sees why, and stays logged out', async () => {
  const page = await atTheDoor('/', [/401/])
  await logIn(page, 'eve')
  await page.getByText(/The token was refused: its org is not a name/).waitFor(patient)
  await loginButton(page).waitFor()
})

test('a token that expires leads to the login, and the provider logs the user in again', async () => {
  provider.lifetime = 15
  const page = await atTheDoor('/audit')
  await logIn(page, 'ada')
  await page.getByRole('heading', { name: 'Audit' }).waitFor(patient)
  await page.getByText('Your token has expired').waitFor(patient)
  provider.lifetime = 600
  // The session at the provider goes on: the user is not asked for a password.
  await loginButton(page).click()
  await page.getByRole('heading', { name: 'Audit' }).waitFor(patient)
  expect(page.url()).toBe(`${dashboard.url}/audit`)
})

test('logging out ends the session at the provider too', async () => {
  const page = await atTheDoor('/audit')
  await logIn(page, 'ada')
  await page.getByRole('button', { name: /operator of demo/ }).click(patient)
  await page.getByRole('button', { name: 'Log out', exact: true }).click()
  await page.getByRole('button', { name: 'Yes, sign me out' }).click(patient)
  await loginButton(page).waitFor(patient)
  expect(page.url().startsWith(`${dashboard.url}/`)).toBe(true)
  expect(await page.evaluate('localStorage.getItem("posthorn.session")')).toBeNull()
  await loginButton(page).click()
  await page.getByPlaceholder('Enter any login').waitFor(patient)
})

test('an unreachable provider is reported on the login page', async () => {
  const page = await atTheDoor('/', [/ERR_FAILED|Failed to fetch|Failed to load/])
  await page.route(`${provider.issuer}/**`, (route) => route.abort())
  await loginButton(page).click()
  await page.getByRole('alert').first().waitFor(patient)
  await loginButton(page).waitFor()
})
