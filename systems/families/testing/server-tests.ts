import {
  secretWord,
  type ForeignWorld,
  type Operator,
  type SecretServer,
  type ServerTests,
} from '@posthorn/server/testing'
import { expect } from 'vitest'

const UNKNOWN = '01890a5d-ac96-774b-bcce-b302099a8057'

const WORLD = `
declare
  family uuid := public.uuid_of(at);
begin
  insert into families.families (id, org_id, name, version, created_at) values (family, org, 'Family', 1, at);
  insert into families.family_members (family_id, user_id, role, email, joined_at) values (family, 'u', 'OWNER', email, at);
  insert into families.family_member_invitations (id, family_id, email, role, token_hash, status, expires_at, invited_by, version, created_at)
  values (public.uuid_of(at), family, email, 'MEMBER', sha256(family::text::bytea), case when over then 'REVOKED' else 'PENDING' end, case when over then at else now() + interval '1 day' end, 'u', 1, at);
  insert into families.outbox_events (event_id, event_type, aggregate_type, aggregate_id, payload, status, processed_at, finished_at, created_at, org_id)
  values (public.uuid_of(at), 'FamilyHub.Families.FamilyMemberInvitedEvent', 'Family', family, person, case when over then 1 else 0 end, case when over then at end, case when over then at end, at, org);
  things := things || jsonb_build_object('family', family);
end;`

const INVITE = (family: string) =>
  `mutation { made: inviteFamilyMemberByEmail(input: { familyId: "${family}", email: "a@b.test", role: MEMBER }) { thing: invitation { id } errors { code message } } }`

async function mutate({ make }: Operator, query: string): Promise<string> {
  const { data } = (await make('/graphql', { query })) as {
    data: { made: { thing: { id: string } | null } }
  }
  return data.made.thing?.id ?? ''
}

async function expectNoForeignFamily({ ours, theirs, withoutIds }: ForeignWorld) {
  const create = 'mutation { made: createFamily(input: { name: "F" }) { thing: family { id } } }'
  const family = await mutate(theirs, create)
  const second = await mutate(theirs, create)
  const invitation = await mutate(theirs, INVITE(family))
  const words = [family, second, invitation]
  expect(words).not.toContain('')
  const say = async (query: string) =>
    withoutIds((await ours.ask('POST', '/graphql', { query })).text)
  const member = (id: string) => `{ familyId: "${id}", userId: "operator of theirs"`
  const errors = '{ errors { code message } }'
  for (const [id, query] of [
    [family, (it: string) => `{ family(id: "${it}") { id name } }`],
    [invitation, (it: string) => `{ invitation(id: "${it}") { id } }`],
    [family, INVITE],
    [family, (it: string) => `mutation { leaveFamily(input: { familyId: "${it}" }) ${errors} }`],
    [family, (it: string) => `mutation { removeFamilyMember(input: ${member(it)} }) ${errors} }`],
    [
      family,
      (it: string) =>
        `mutation { changeFamilyMemberRole(input: ${member(it)}, role: MEMBER }) ${errors} }`,
    ],
    [
      family,
      (it: string) => `mutation { transferFamilyOwnership(input: ${member(it)} }) ${errors} }`,
    ],
    [
      invitation,
      (it: string) => `mutation { resendInvitation(input: { invitationId: "${it}" }) ${errors} }`,
    ],
    [
      invitation,
      (it: string) => `mutation { revokeInvitation(input: { invitationId: "${it}" }) ${errors} }`,
    ],
  ] as const) {
    const there = await say(query(id))
    expect(there).toBe(await say(query(UNKNOWN)))
    expect(there).not.toContain('Cannot query')
  }
  for (const cursor of ['', `(cursor: "${family}")`, `(cursor: "${second}")`]) {
    const query = `{ families${cursor} { nodes { id } } }`
    const { text } = await ours.ask('POST', '/graphql', { query })
    for (const word of words) expect(text, query).not.toContain(word)
  }
  const query = `{ family(id: "${family}") { members { userId } } }`
  expect((await theirs.ask('POST', '/graphql', { query })).text).toContain('operator of theirs')
}

/** Needs the mail server. */
async function provoke({ ask }: SecretServer): Promise<string> {
  const say = async (query: string) => JSON.stringify((await ask('/graphql', { query })).body)
  const made = await say('mutation { createFamily(input: { name: "F" }) { family { id } } }')
  return made + (await say(INVITE(/"id":"([^"]+)"/.exec(made)?.[1] ?? '')))
}

export const serverTests: ServerTests = {
  access: { public: /^\w+ \/invitations(\/|$)/, reading: /^POST \/graphql$/ },
  foreign: {
    also: {
      'a family and an invitation of theirs are none by GraphQL, in questions, changes and cursors':
        expectNoForeignFamily,
    },
  },
  secrets: {
    provoke,
    neighbours() {
      const mail = secretWord()
      return { SMTP_URL: { value: `smtp://posthorn:${mail}@127.0.0.1:1`, secret: mail } }
    },
    async find({ ask }) {
      const { body: mails } = await ask('/sim/mail/requests?limit=100')
      const token = /invitations\?token=([\w.-]+)/.exec(JSON.stringify(mails))?.[1] ?? ''
      return { invitation: token }
    },
    mistakes: ['/graphql?query={'],
    careful: { FAMILIES_EVENT_TOKEN: 'sealed' },
    // `sealed` or `clear`: how, not what.
    open: ['FAMILIES_EVENT_TOKEN'],
  },
  retention: { world: WORLD },
}
