import { FAMILY_ROLES } from './events.ts'
import SchemaBuilder from '@pothos/core'
import type { Queryable } from '@posthorn/engine'
import { problem } from '@posthorn/http'
import { toUuid, type Accepted, type Actor, type FamilyCommands } from './commands.ts'
import { Family as FamilyAggregate, type FamilyState, type Member } from './family.ts'
import { FamilyMemberInvitation, INVITATION_STATUSES, type InvitationState } from './invitation.ts'
import {
  listFamilies,
  listInvitations,
  selectFamily,
  selectInvitation,
  type FamilySummary,
} from './queries.ts'
import { limitAnswers, type AnswerBudget } from './graphql-limits.ts'
import { FAMILY_CODES, type Refusal, type Result } from './refusal.ts'

/** What every resolver gets. The rules are the aggregates'; nothing here decides. */
export interface GraphqlContext {
  readonly actor: Actor
  /** Administers the organisation: sees families without being a member. */
  readonly seesAll: boolean
  readonly db: Queryable
  readonly commands: FamilyCommands
  readonly answer: AnswerBudget
}

interface Payload {
  readonly family?: FamilyState | undefined
  readonly invitation?: InvitationState | undefined
  readonly errors: readonly Refusal[]
}

const builder = new SchemaBuilder<{
  Context: GraphqlContext
  DefaultFieldNullability: false
  DefaultInputFieldRequiredness: true
  Scalars: { ID: { Input: string; Output: string }; DateTime: { Input: never; Output: Date } }
}>({ defaultFieldNullability: false, defaultInputFieldRequiredness: true })

builder.scalarType('DateTime', {
  description: 'A moment, as ISO 8601 in UTC.',
  serialize: (moment) => moment.toISOString(),
})

const FamilyRole = builder.enumType('FamilyRole', { values: FAMILY_ROLES })
const InvitationStatus = builder.enumType('InvitationStatus', { values: INVITATION_STATUSES })
const FamilyErrorCode = builder.enumType('FamilyErrorCode', {
  values: Object.keys(FAMILY_CODES) as Refusal['code'][],
})

const Invitation = builder.objectRef<InvitationState>('Invitation').implement({
  fields: (t) => ({
    id: t.exposeID('id'),
    email: t.exposeString('email'),
    role: t.expose('role', { type: FamilyRole }),
    status: t.expose('status', { type: InvitationStatus }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime' }),
  }),
})

const FamilyMember = builder.objectRef<Member>('FamilyMember').implement({
  fields: (t) => ({
    userId: t.exposeString('userId'),
    role: t.expose('role', { type: FamilyRole }),
    joinedAt: t.expose('joinedAt', { type: 'DateTime' }),
  }),
})

const Family = builder.objectRef<FamilyState>('Family').implement({
  fields: (t) => ({
    id: t.exposeID('id'),
    name: t.exposeString('name'),
    myRole: t.field({
      type: FamilyRole,
      nullable: true,
      description: "The caller's; null for an administrator who is no member.",
      resolve: ({ members }, _, { actor }) => roleIn(members, actor),
    }),
    members: t.field({ type: [FamilyMember], resolve: ({ members }) => members }),
    invitations: t.field({
      type: [Invitation],
      description: 'The newest 200.',
      resolve: ({ id }, _, { db }) => listInvitations(db, id),
    }),
  }),
})

const FamilyListItem = builder.objectRef<FamilySummary>('FamilyListItem').implement({
  fields: (t) => ({
    id: t.exposeID('id'),
    name: t.exposeString('name'),
    memberCount: t.exposeInt('memberCount'),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
})

interface FamilyPage {
  readonly items: readonly FamilySummary[]
  readonly nextCursor: string | null
}

const FamilyPageType = builder.objectRef<FamilyPage>('FamilyPage').implement({
  fields: (t) => ({
    items: t.field({ type: [FamilyListItem], resolve: ({ items }) => items }),
    nextCursor: t.id({
      nullable: true,
      description: 'Pass it as `cursor` for the next page; null at the end.',
      resolve: ({ nextCursor }) => nextCursor,
    }),
  }),
})

const FamilyError = builder.objectRef<Refusal>('FamilyError').implement({
  fields: (t) => ({
    code: t.expose('code', { type: FamilyErrorCode }),
    message: t.exposeString('message'),
  }),
})

builder.queryType({
  fields: (t) => ({
    family: t.field({
      type: Family,
      nullable: true,
      args: { id: t.arg.id() },
      description: 'For its members and administrators of the organisation.',
      resolve: (_, { id }, context) => findVisible(context, id),
    }),
    families: t.field({
      type: FamilyPageType,
      description:
        'Families of the caller, newest first, 50 at a time; for administrators of the organisation all of them.',
      args: { cursor: t.arg.id({ required: false }) },
      resolve: (_, { cursor }, context) => listVisible(context, cursor),
    }),
    invitation: t.field({
      type: Invitation,
      nullable: true,
      args: { id: t.arg.id() },
      description: 'For members of its family and administrators of the organisation.',
      async resolve(_, { id }, context) {
        const uuid = toUuid(id)
        const found = uuid === undefined ? undefined : await selectInvitation(context.db, uuid)
        return found && (await findVisible(context, found.familyId)) ? found : undefined
      },
    }),
  }),
})

/** What mutations are told. */
const INPUTS = {
  name: 'String',
  familyId: 'ID',
  invitationId: 'ID',
  email: 'String',
  userId: 'String',
  token: 'String',
  role: FamilyRole,
} as const
type Input = Readonly<Record<Exclude<keyof typeof INPUTS, 'role'>, string>> & Pick<Member, 'role'>

interface Mutation<Name extends keyof Input> {
  readonly takes: readonly Name[]
  readonly shows: readonly ('family' | 'invitation')[]
  run(
    commands: FamilyCommands,
    actor: Actor,
    input: Pick<Input, Name>,
  ): Promise<Result<FamilyAggregate | FamilyMemberInvitation | Accepted>>
}

/** A mutation with the types of its input and its payload: what it was about, and why it did nothing. */
function mutation<Name extends keyof Input>(name: string, { takes, shows, run }: Mutation<Name>) {
  const typeName = name.slice(0, 1).toUpperCase() + name.slice(1)
  const input = builder.inputType(`${typeName}Input`, {
    fields: (t) =>
      Object.fromEntries(takes.map((field) => [field, t.field({ type: INPUTS[field] })])),
  })
  const payload = builder.objectRef<Payload>(`${typeName}Payload`).implement({
    fields: (t) => ({
      ...(shows.includes('family') && {
        family: t.field({ type: Family, nullable: true, resolve: ({ family }) => family }),
      }),
      ...(shows.includes('invitation') && {
        invitation: t.field({
          type: Invitation,
          nullable: true,
          resolve: ({ invitation }) => invitation,
        }),
      }),
      errors: t.field({ type: [FamilyError], resolve: ({ errors }) => errors }),
    }),
  })
  builder.mutationField(name, (t) =>
    t.field({
      type: payload,
      nullable: true,
      args: { input: t.arg({ type: input }) },
      async resolve(_, args, { actor, commands }) {
        const { input: told } = args as unknown as { readonly input: Pick<Input, Name> }
        const { value, refusal } = await run(commands, actor, told)
        return { ...(value && statesOf(value)), errors: refusal ? [refusal] : [] }
      },
    }),
  )
}

function statesOf(
  value: FamilyAggregate | FamilyMemberInvitation | Accepted,
): Omit<Payload, 'errors'> {
  if (value instanceof FamilyAggregate) return { family: value.state }
  if (value instanceof FamilyMemberInvitation) return { invitation: value.state }
  return { family: value.family.state, invitation: value.invitation.state }
}

builder.mutationType({})
mutation('createFamily', {
  ...{ takes: ['name'], shows: ['family'] },
  run: (commands, actor, input) => commands.create(actor, input),
})
mutation('inviteFamilyMemberByEmail', {
  ...{ takes: ['familyId', 'email', 'role'], shows: ['invitation'] },
  run: (commands, actor, input) => commands.invite(actor, input),
})
mutation('resendInvitation', {
  ...{ takes: ['invitationId'], shows: ['invitation'] },
  run: (commands, actor, { invitationId }) => commands.resend(actor, invitationId),
})
mutation('acceptInvitation', {
  ...{ takes: ['token'], shows: ['family', 'invitation'] },
  run: (commands, actor, { token }) => commands.accept(actor, token),
})
mutation('revokeInvitation', {
  ...{ takes: ['invitationId'], shows: ['invitation'] },
  run: (commands, actor, { invitationId }) => commands.revoke(actor, invitationId),
})
mutation('declineInvitation', {
  ...{ takes: ['token'], shows: ['invitation'] },
  run: (commands, actor, { token }) => commands.decline(actor, token),
})
mutation('leaveFamily', {
  ...{ takes: ['familyId'], shows: ['family'] },
  run: (commands, actor, { familyId }) => commands.leave(actor, familyId),
})
mutation('removeFamilyMember', {
  ...{ takes: ['familyId', 'userId'], shows: ['family'] },
  run: (commands, actor, member) => commands.remove(actor, member),
})
mutation('changeFamilyMemberRole', {
  ...{ takes: ['familyId', 'userId', 'role'], shows: ['family'] },
  run: (commands, actor, member) => commands.changeRole(actor, member),
})
mutation('transferFamilyOwnership', {
  ...{ takes: ['familyId', 'userId'], shows: ['family'] },
  run: (commands, actor, member) => commands.transfer(actor, member),
})

export const familySchema = limitAnswers(builder.toSchema())

function roleIn(members: readonly Member[], { sub }: Actor) {
  return members.find(({ userId }) => userId === sub)?.role
}

const ON_A_PAGE = 50

async function listVisible(
  { actor, seesAll, db }: GraphqlContext,
  cursor: string | null | undefined,
): Promise<FamilyPage> {
  const before = toUuid(cursor ?? undefined)
  if (cursor != null && before === undefined) throw problem('CURSOR_INVALID')
  const memberId = seesAll ? undefined : actor.sub
  const page = { orgId: actor.org, memberId, before, limit: ON_A_PAGE + 1 }
  const rows = await listFamilies(db, page)
  const items = rows.slice(0, ON_A_PAGE)
  return { items, nextCursor: rows.length > ON_A_PAGE ? (items.at(-1)?.id ?? null) : null }
}

/** A family of another tenant, or of others of the same one, is not found. */
async function findVisible(
  { actor, seesAll, db }: GraphqlContext,
  id: string,
): Promise<FamilyState | undefined> {
  const uuid = toUuid(id)
  const found = uuid === undefined ? undefined : await selectFamily(db, uuid)
  if (found?.orgId !== actor.org) return undefined
  return seesAll || roleIn(found.members, actor) !== undefined ? found : undefined
}
