import { DemoError, type DemoChapter, type DemoStep, type Stage } from '@posthorn/system'

interface Mail {
  readonly to: string | readonly string[]
  readonly subject: string
}

const CREATE = `mutation ($name: String!) {
  answer: createFamily(input: { name: $name }) { thing: family { id } errors { code message } } }`
const INVITE = `mutation ($familyId: ID!, $email: String!) {
  answer: inviteFamilyMemberByEmail(input: { familyId: $familyId, email: $email, role: MEMBER }) {
    thing: invitation { id } errors { code message } } }`
const RESEND = `mutation ($invitationId: ID!) {
  answer: resendInvitation(input: { invitationId: $invitationId }) {
    thing: invitation { id } errors { code message } } }`

const families: DemoStep = {
  id: 'families',
  title: 'A family invites a guest',
  about:
    'A family is founded and invites a guest by mail; the guest asks for the mail again. Each change ' +
    'is a domain event in the transaction that makes it, and the events of a family stay in order.',
  look: [
    { label: 'Families', path: '/families' },
    { label: 'The mailbox', path: '/simulators/mail' },
  ],
  async play(stage) {
    const { run, tell } = stage
    const email = `guest-${run}@example.test`
    const familyId = await mutate(stage, CREATE, { name: `Family ${run}` })
    const invitationId = await mutate(stage, INVITE, { familyId, email })
    await mails(stage, email, 1)
    tell(`The invitation to ${email} is in the mailbox.`)
    await mutate(stage, RESEND, { invitationId })
    await mails(stage, email, 2)
    tell('It was sent again with a new link; the old one is worth nothing now.')
  },
}

async function mutate({ api }: Stage, query: string, variables: object): Promise<string> {
  const { data } = await api.post<{
    data?: { answer: { thing: { id: string } | null; errors: readonly { message: string }[] } }
  }>('/graphql', { json: { query, variables } })
  const id = data?.answer.thing?.id
  if (id !== undefined) return id
  throw new DemoError(`families refused: ${JSON.stringify(data?.answer.errors)}`)
}

async function mails({ api }: Stage, email: string, count: number): Promise<void> {
  await api.until<{ items: readonly Mail[] }>(
    '/sim/mail/requests?limit=50',
    ({ items }) => items.filter(({ to }) => [to].flat().includes(email)).length >= count,
  )
}

export const demo: DemoChapter = { simulators: ['mail'], steps: () => [families] }
