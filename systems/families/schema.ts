import { FAMILY_ROLES } from './events.ts'
import SchemaBuilder from '@pothos/core'
import type { Queryable } from '@posthorn/engine'
import { problem } from '@posthorn/http'
import { toUuid, type Actor, type FamilyCommands } from './commands.ts'
import { type Family as FamilyAggregate, type FamilyState, type Member } from './family.ts'
import { INVITATION_STATUSES, type InvitationState } from './invitation.ts'
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
      description: 'For its members, and for those who administer the organisation.',
      resolve: (_, { id }, context) => findVisible(context, id),
    }),
    families: t.field({
      type: FamilyPageType,
      description:
        'Families of the caller, newest first, 50 at a time; for those who administer the organisation all of them.',
      args: { cursor: t.arg.id({ required: false }) },
      resolve: (_, { cursor }, context) => listVisible(context, cursor),
    }),
    invitation: t.field({
      type: Invitation,
      nullable: true,
      args: { id: t.arg.id() },
      description: 'For members of its family, and for those who administer the organisation.',
      async resolve(_, { id }, context) {
        const uuid = toUuid(id)
        const found = uuid === undefined ? undefined : await selectInvitation(context.db, uuid)
        return found && (await findVisible(context, found.familyId)) ? found : undefined
      },
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
const DeclineInvitationInput = builder.inputType('DeclineInvitationInput', {
  fields: (t) => ({ token: t.string() }),
})
const LeaveFamilyInput = builder.inputType('LeaveFamilyInput', {
  fields: (t) => ({ familyId: t.id() }),
})
const RemoveFamilyMemberInput = builder.inputType('RemoveFamilyMemberInput', {
  fields: (t) => ({ familyId: t.id(), userId: t.string() }),
})
const ChangeFamilyMemberRoleInput = builder.inputType('ChangeFamilyMemberRoleInput', {
  fields: (t) => ({ familyId: t.id(), userId: t.string(), role: t.field({ type: FamilyRole }) }),
})
const TransferFamilyOwnershipInput = builder.inputType('TransferFamilyOwnershipInput', {
  fields: (t) => ({ familyId: t.id(), userId: t.string() }),
})

builder.mutationType({
  fields: (t) => ({
    createFamily: t.field({
      type: payloadType('CreateFamilyPayload', { family: true }),
      nullable: true,
      args: { input: t.arg({ type: CreateFamilyInput }) },
      resolve: async (_, { input }, { actor, commands }) =>
        familyPayload(await commands.create(actor, input)),
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
    declineInvitation: t.field({
      type: payloadType('DeclineInvitationPayload', { invitation: true }),
      nullable: true,
      args: { input: t.arg({ type: DeclineInvitationInput }) },
      async resolve(_, { input }, { actor, commands }) {
        const { value, refusal } = await commands.decline(actor, input.token)
        return { invitation: value?.state, errors: listOf(refusal) }
      },
    }),
    leaveFamily: t.field({
      type: payloadType('LeaveFamilyPayload', { family: true }),
      nullable: true,
      args: { input: t.arg({ type: LeaveFamilyInput }) },
      resolve: async (_, { input }, { actor, commands }) =>
        familyPayload(await commands.leave(actor, input.familyId)),
    }),
    removeFamilyMember: t.field({
      type: payloadType('RemoveFamilyMemberPayload', { family: true }),
      nullable: true,
      args: { input: t.arg({ type: RemoveFamilyMemberInput }) },
      resolve: async (_, { input }, { actor, commands }) =>
        familyPayload(await commands.remove(actor, input)),
    }),
    changeFamilyMemberRole: t.field({
      type: payloadType('ChangeFamilyMemberRolePayload', { family: true }),
      nullable: true,
      args: { input: t.arg({ type: ChangeFamilyMemberRoleInput }) },
      resolve: async (_, { input }, { actor, commands }) =>
        familyPayload(await commands.changeRole(actor, input)),
    }),
    transferFamilyOwnership: t.field({
      type: payloadType('TransferFamilyOwnershipPayload', { family: true }),
      nullable: true,
      args: { input: t.arg({ type: TransferFamilyOwnershipInput }) },
      resolve: async (_, { input }, { actor, commands }) =>
        familyPayload(await commands.transfer(actor, input)),
    }),
  }),
})

export const familySchema = limitAnswers(builder.toSchema())

function listOf(refusal: Refusal | undefined): readonly Refusal[] {
  return refusal ? [refusal] : []
}

function familyPayload({ value, refusal }: Result<FamilyAggregate>): Payload {
  return { family: value?.state, errors: listOf(refusal) }
}

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
  const rows = await listFamilies(db, {
    ...{ orgId: actor.org, memberId, before, limit: ON_A_PAGE + 1 },
  })
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
