import SchemaBuilder from '@pothos/core'
import type { Queryable } from '@posthorn/engine'
import { problem } from '@posthorn/http'
import { toUuid, type Actor, type FamilyCommands } from './commands.ts'
import type { FamilyState, Member } from './family.ts'
import { FAMILY_ROLES } from './family-role.ts'
import { INVITATION_STATUSES, type InvitationState } from './invitation.ts'
import {
  listFamilies,
  listInvitations,
  selectFamily,
  selectInvitation,
  type FamilySummary,
} from './queries.ts'
import { FAMILY_CODES, type Refusal } from './refusal.ts'

/** What every resolver gets. The rules are the aggregates'; nothing here decides. */
export interface GraphqlContext {
  readonly actor: Actor
  readonly db: Queryable
  readonly commands: FamilyCommands
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
      description: 'Given as `cursor`, goes on from here; null at the end.',
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

/** What a mutation answers: what it was about, and why it did nothing. */
function payloadType(name: string, shows: { family?: true; invitation?: true }) {
  return builder.objectRef<Payload>(name).implement({
    fields: (t) => ({
      ...(shows.family && {
        family: t.field({
          type: Family,
          nullable: true,
          resolve: (payload: Payload) => payload.family,
        }),
      }),
      ...(shows.invitation && {
        invitation: t.field({
          type: Invitation,
          nullable: true,
          resolve: (payload: Payload) => payload.invitation,
        }),
      }),
      errors: t.field({ type: [FamilyError], resolve: ({ errors }) => errors }),
    }),
  })
}

builder.queryType({
  fields: (t) => ({
    family: t.field({
      type: Family,
      nullable: true,
      args: { id: t.arg.id() },
      resolve: (_, { id }, { actor, db }) => visibleTo(actor, id, (uuid) => selectFamily(db, uuid)),
    }),
    families: t.field({
      type: FamilyPageType,
      description: 'Families of the tenant, newest first, 50 at a time.',
      args: { cursor: t.arg.id({ required: false }) },
      resolve: (_, { cursor }, { actor, db }) => familiesOf(actor, cursor, db),
    }),
    invitation: t.field({
      type: Invitation,
      nullable: true,
      args: { id: t.arg.id() },
      resolve: (_, { id }, { actor, db }) =>
        visibleTo(actor, id, (uuid) => selectInvitation(db, uuid)),
    }),
  }),
})

const CreateFamilyInput = builder.inputType('CreateFamilyInput', {
  fields: (t) => ({ name: t.string() }),
})
const InviteFamilyMemberByEmailInput = builder.inputType('InviteFamilyMemberByEmailInput', {
  fields: (t) => ({ familyId: t.id(), email: t.string(), role: t.field({ type: FamilyRole }) }),
})
const ResendInvitationInput = builder.inputType('ResendInvitationInput', {
  fields: (t) => ({ invitationId: t.id() }),
})
const AcceptInvitationInput = builder.inputType('AcceptInvitationInput', {
  fields: (t) => ({ token: t.string() }),
})
const RevokeInvitationInput = builder.inputType('RevokeInvitationInput', {
  fields: (t) => ({ invitationId: t.id() }),
})

builder.mutationType({
  fields: (t) => ({
    createFamily: t.field({
      type: payloadType('CreateFamilyPayload', { family: true }),
      nullable: true,
      args: { input: t.arg({ type: CreateFamilyInput }) },
      async resolve(_, { input }, { actor, commands }) {
        const { value, refusal } = await commands.create(actor, input)
        return { family: value?.state, errors: listOf(refusal) }
      },
    }),
    inviteFamilyMemberByEmail: t.field({
      type: payloadType('InviteFamilyMemberByEmailPayload', { invitation: true }),
      nullable: true,
      args: { input: t.arg({ type: InviteFamilyMemberByEmailInput }) },
      async resolve(_, { input }, { actor, commands }) {
        const { value, refusal } = await commands.invite(actor, input)
        return { invitation: value?.state, errors: listOf(refusal) }
      },
    }),
    resendInvitation: t.field({
      type: payloadType('ResendInvitationPayload', { invitation: true }),
      nullable: true,
      args: { input: t.arg({ type: ResendInvitationInput }) },
      async resolve(_, { input }, { actor, commands }) {
        const { value, refusal } = await commands.resend(actor, input.invitationId)
        return { invitation: value?.state, errors: listOf(refusal) }
      },
    }),
    acceptInvitation: t.field({
      type: payloadType('AcceptInvitationPayload', { family: true, invitation: true }),
      nullable: true,
      args: { input: t.arg({ type: AcceptInvitationInput }) },
      async resolve(_, { input }, { actor, commands }) {
        const { value, refusal } = await commands.accept(actor, input.token)
        return {
          family: value?.family.state,
          invitation: value?.invitation.state,
          errors: listOf(refusal),
        }
      },
    }),
    revokeInvitation: t.field({
      type: payloadType('RevokeInvitationPayload', { invitation: true }),
      nullable: true,
      args: { input: t.arg({ type: RevokeInvitationInput }) },
      async resolve(_, { input }, { actor, commands }) {
        const { value, refusal } = await commands.revoke(actor, input.invitationId)
        return { invitation: value?.state, errors: listOf(refusal) }
      },
    }),
  }),
})

export const familySchema = builder.toSchema()

function listOf(refusal: Refusal | undefined): readonly Refusal[] {
  return refusal ? [refusal] : []
}

const ON_A_PAGE = 50

async function familiesOf(
  { org: orgId }: Actor,
  cursor: string | null | undefined,
  db: Queryable,
): Promise<FamilyPage> {
  const before = toUuid(cursor ?? undefined)
  if (cursor != null && before === undefined) throw problem('CURSOR_INVALID')
  const rows = await listFamilies(db, { orgId, before, limit: ON_A_PAGE + 1 })
  const items = rows.slice(0, ON_A_PAGE)
  return { items, nextCursor: rows.length > ON_A_PAGE ? (items.at(-1)?.id ?? null) : null }
}

/** Rows of another tenant are not found. */
async function visibleTo<State extends { readonly orgId: string }>(
  { org }: Actor,
  id: string,
  select: (uuid: string) => Promise<State | undefined>,
): Promise<State | undefined> {
  const uuid = toUuid(id)
  const found = uuid === undefined ? undefined : await select(uuid)
  return found?.orgId === org ? found : undefined
}
