import { expect, test } from 'vitest'
import { axe, openDashboard, screenshot } from './harness/index.ts'

const dashboard = await openDashboard()
const patient = { timeout: 30_000 }

async function graphql<Data>(query: string, user: object = {}): Promise<Data> {
  const answer = await dashboard.call('/graphql', { body: { query }, ...user })
  return (answer as { data: Data }).data
}

/** A family of `dev` with one that is invited. */
async function familyOf(name: string, email: string): Promise<string> {
  const { createFamily } = await graphql<{ createFamily: { family: { id: string } } }>(
    `mutation { createFamily(input: { name: "${name}" }) { family { id } } }`,
  )
  const { id } = createFamily.family
  await graphql(
    `mutation { inviteFamilyMemberByEmail(input: {
      familyId: "${id}", email: "${email}", role: MEMBER }) { errors { code } } }`,
  )
  return id
}

test('a family is created, and the invitation mail of a member arrives', async () => {
  const page = await dashboard.open('/families')
  await page.getByLabel('Name').fill('Addams')
  await page.getByRole('button', { name: 'Create family' }).click()
  await page.getByRole('heading', { name: 'Family Addams' }).waitFor()
  await page.getByText('No invitations').waitFor()
  await page.getByLabel('E-mail address').fill('gomez@example.com')
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  await page.getByText('gomez@example.com invited').waitFor()
  const mail = page.getByRole('article', { name: 'Mail to gomez@example.com' })
  const link = mail.getByRole('link', { name: 'Open link' })
  await link.waitFor(patient)
  expect(await link.getAttribute('href')).toMatch(/\/invitations\?token=.{20,}/)
  await axe(page)
  await screenshot(page, 'family-light')
  await page.getByRole('link', { name: 'All families' }).click()
  await page.getByRole('gridcell', { name: 'Addams' }).waitFor()
  await axe(page)
  await screenshot(page, 'families-light')
})

test('what the family refuses is shown with its code', async () => {
  const id = await familyOf('Frump', 'ophelia@example.com')
  const page = await dashboard.open(`/families/${id}`)
  await page.getByLabel('E-mail address').fill('ophelia@example.com')
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  await page.getByText('(ALREADY_INVITED)').waitFor()
})

test('an invitation is sent again, and revoked', async () => {
  const id = await familyOf('Munster', 'eddie@example.com')
  const page = await dashboard.open(`/families/${id}`)
  await page.getByRole('button', { name: 'Resend' }).click()
  await page.getByRole('button', { name: 'Resend 1' }).click()
  await page.getByText('A new mail to eddie@example.com is queued.').waitFor()
  await page.getByRole('article', { name: /Reminder/ }).waitFor(patient)
  await page.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('button', { name: 'Revoke 1' }).click()
  await page.getByText('REVOKED', { exact: true }).waitFor()
  expect(await page.getByRole('button', { name: 'Resend' }).count()).toBe(0)
})

test('another user accepts from the mailbox and joins the family', async () => {
  const id = await familyOf('Simpson', 'bart@example.com')
  const page = await dashboard.open('/families/mailbox', { sub: 'bart', role: 'member' })
  const mail = page.getByRole('article', { name: 'Mail to bart@example.com' })
  await mail.waitFor(patient)
  await axe(page)
  await screenshot(page, 'mailbox-light')
  await mail.getByRole('button', { name: 'Accept as bart' }).click()
  await page.getByRole('button', { name: 'Accept', exact: true }).click()
  await page.getByText('bart joined the family Simpson.').waitFor()
  await page.goto(`${dashboard.url}/families/${id}`)
  await page.getByRole('cell', { name: 'bart', exact: true }).waitFor()
  await page.getByText('ACCEPTED', { exact: true }).waitFor()
  expect(await page.getByRole('button', { name: 'Resend' }).count()).toBe(0)
})

test('families of another organisation are not found', async () => {
  const id = await familyOf('Bundy', 'kelly@example.com')
  const page = await dashboard.open('/families', { org: 'other', role: 'member' })
  await page.getByText('No families yet').waitFor()
  await page.goto(`${dashboard.url}/families/${id}`)
  await page.getByText('Family not found').waitFor()
  await axe(page)
})

test('fits a phone', async () => {
  const id = await familyOf(
    'Tanner with quite a long name',
    'somebody.with.a.long.name@example.com',
  )
  const page = await dashboard.open(`/families/${id}`, { size: { width: 390, height: 844 } })
  await page.getByRole('article').waitFor(patient)
  await axe(page)
  await screenshot(page, 'family-phone')
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
})
