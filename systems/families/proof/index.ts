import type { Client } from '../../../proof/kit/stand/client.ts'
import { pace } from '../../../proof/kit/stand/load.ts'
import type { SystemProof } from '../../../proof/kit/stand/system-proof.ts'
import { familyLines, TOPIC } from './ledger.ts'

const PER_SECOND = 1
const MOST_INVITATIONS = 4

const CREATE = `mutation ($name: String!) {
  answer: createFamily(input: { name: $name }) { thing: family { id } } }`
const INVITE = `mutation ($familyId: ID!, $email: String!) {
  answer: inviteFamilyMemberByEmail(input: { familyId: $familyId, email: $email, role: MEMBER }) {
    thing: invitation { id } } }`
const RESEND = `mutation ($invitationId: ID!) {
  answer: resendInvitation(input: { invitationId: $invitationId }) { thing: invitation { id } } }`

/** Families that invite guests; what was not answered is left, since a mutation has no key. */
export const proof: SystemProof = {
  name: 'families',
  env: () => ({}),
  // Notes in which order the events arrive.
  consumers: (note) => [
    {
      transport: 'rabbitmq',
      topic: TOPIC,
      group: 'proof.families',
      async handle({ id, key = '' }) {
        note(TOPIC, { id, key, n: 0 })
      },
    },
  ],
  lines: familyLines,
  async prepare({ client, over }) {
    // One that is certain: under faults none of them may get an answer.
    while (!(await invite(client, await found(client, 'First'), 'first'))) over.throwIfAborted()
  },
  run: ({ client, random, rate, over }) =>
    pace(PER_SECOND * rate, over, async (i) => {
      const familyId = await found(client, String(i))
      const invitations = familyId === undefined ? 0 : 1 + random.below(MOST_INVITATIONS)
      for (let n = 0; n < invitations; n += 1) {
        const invitationId = await invite(client, familyId, `${i}-${n}`)
        if (invitationId !== undefined && random.fraction() < 0.5) {
          await mutate(client, RESEND, { invitationId })
        }
      }
    }),
}

function found(client: Client, name: string): Promise<string | undefined> {
  return mutate(client, CREATE, { name: `Family ${name}` })
}

async function invite(
  client: Client,
  familyId: string | undefined,
  guest: string,
): Promise<string | undefined> {
  if (familyId === undefined) return undefined
  return mutate(client, INVITE, { familyId, email: `guest-${guest}@example.test` })
}

async function mutate(
  client: Client,
  query: string,
  variables: object,
): Promise<string | undefined> {
  const json = { query, variables }
  const answer = await client.tryOnce({ method: 'POST', path: '/graphql', json })
  const { data } = (answer?.body ?? {}) as {
    data?: { answer?: { thing?: { id: string } | null } | null } | null
  }
  return data?.answer?.thing?.id
}
