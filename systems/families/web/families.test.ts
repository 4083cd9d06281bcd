import { expect, test } from 'vitest'
import { axe, openDashboard, screenshot } from '@posthorn/dashboard/testing'
import { families } from '../index.ts'

const dashboard = await openDashboard({ systems: [families] })
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

/** A family of `dev` with members who have accepted: their names before the at sign are the users. */
async function familyWith(name: string, members: readonly string[]): Promise<string> {
  const [first = '', ...others] = members.map((member) => `${member}@${name}.example`)
  const id = await familyOf(name, first)
  for (const email of others) {
    await graphql(
      `mutation { inviteFamilyMemberByEmail(input: {
        familyId: "${id}", email: "${email}", role: MEMBER }) { errors { code } } }`,
    )
  }
  for (const sub of members) {
    const email = `${sub}@${name}.example`
    await expect.poll(() => tokenFor(email), patient).toBeDefined()
    const token = await tokenFor(email)
    await graphql(
      `mutation { acceptInvitation(input: { token: "${token}" }) { errors { code } } }`,
      { sub, role: 'member' },
    )
  }
  return id
}

async function tokenFor(email: string): Promise<string | undefined> {
  const { items } = (await dashboard.call('/sim/mail/requests?limit=100')) as {
    items: { to: string; text: string }[]
  }
  return /token=([\w-]+)/.exec(items.find(({ to }) => to === email)?.text ?? '')?.[1]
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
  await page.getByRole('listitem', { name: 'bart', exact: true }).waitFor()
  await page.getByText('ACCEPTED', { exact: true }).waitFor()
  expect(await page.getByRole('button', { name: 'Resend' }).count()).toBe(0)
})

test('the owner changes roles, removes a member and hands the family over', async () => {
  const id = await familyWith('flintstone', ['wilma', 'barney'])
  const page = await dashboard.open(`/families/${id}`)
  const row = (user: string) => page.getByRole('listitem', { name: user, exact: true })
  await row('wilma').getByRole('button', { name: 'Make admin' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Make admin' }).click()
  await row('wilma').getByText('ADMIN', { exact: true }).waitFor()
  await screenshot(page, 'family-members-light')
  await axe(page)
  await row('barney').getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('dialog', { name: 'Remove barney?' }).waitFor()
  await screenshot(page, 'family-remove-light')
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await row('barney').waitFor({ state: 'detached' })
  await row('wilma').getByRole('button', { name: 'Make owner' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Transfer ownership' }).click()
  await row('wilma').getByText('OWNER', { exact: true }).waitFor()
  await row('dev').getByText('ADMIN', { exact: true }).waitFor()
  await row('dev').getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
  await page.getByText('You left the family flintstone.').waitFor()
  await page.getByRole('heading', { name: 'Families' }).waitFor()
})

test('a member sees the family, and may leave it; others of the organisation see nothing', async () => {
  const id = await familyWith('jetson', ['judy'])
  const options = { sub: 'judy', role: 'member', theme: 'dark' } as const
  const page = await dashboard.open(`/families/${id}`, options)
  await page.getByRole('button', { name: 'Leave' }).waitFor()
  for (const name of ['Invite', 'Remove', 'Make owner', 'Resend']) {
    expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0)
  }
  await axe(page)
  await screenshot(page, 'family-members-dark')
  const other = await dashboard.open(`/families/${id}`, { sub: 'elroy', role: 'member' })
  await other.getByText('Family not found').waitFor()
})

test('an invitation is declined from the mailbox', async () => {
  const id = await familyOf('Griffin', 'meg@example.com')
  const page = await dashboard.open('/families/mailbox', { sub: 'meg', role: 'member' })
  const mail = page.getByRole('article', { name: 'Mail to meg@example.com' })
  await mail.waitFor(patient)
  await mail.getByRole('button', { name: 'Decline' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Decline' }).click()
  await page.getByText('Invitation of meg@example.com declined.').waitFor()
  const owner = await dashboard.open(`/families/${id}`)
  await owner.getByText('DECLINED', { exact: true }).waitFor()
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
  const id = await familyWith('tanner', ['willie.of.a.long.name', 'lynn'])
  const page = await dashboard.open(`/families/${id}`, { size: { width: 390, height: 844 } })
  await page.getByRole('article').first().waitFor(patient)
  await axe(page)
  await screenshot(page, 'family-phone')
  await expect
    .poll(() => page.evaluate('document.documentElement.scrollWidth'))
    .toBeLessThanOrEqual(390)
  for (const button of await page.getByRole('button', { name: 'Make owner' }).all()) {
    const { x = 0, width = 0 } = (await button.boundingBox()) ?? {}
    expect(x + width).toBeLessThanOrEqual(374)
  }
})
