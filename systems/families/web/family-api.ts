import {
  type Api,
  ApiProblem,
  dataOf,
  type ListPage,
  useFresh,
  moved,
} from '@posthorn/dashboard/kit'

interface GraphqlError {
  readonly message: string
  readonly extensions?: { readonly code?: string }
}

/** Why a mutation did nothing; it comes with status 200. */
interface Refusal {
  readonly code: string
  readonly message: string
}

/** Asks the server by GraphQL; what goes wrong is thrown as the problem that any route answers. */
async function ask<Data>(
  api: Api,
  request: { readonly query: string; readonly variables?: object },
  signal?: AbortSignal,
): Promise<Data> {
  const options = { body: request, fetch: asProblem, ...(signal && { signal }) }
  const answer = (await dataOf(api.POST('/graphql', options as never))) as { data: Data }
  return answer.data
}

/** What a mutation was about, or its refusal, thrown. */
function doneOr<Payload extends { readonly errors: readonly Refusal[] }>(
  payload: Payload,
): Payload {
  const [refusal] = payload.errors
  if (refusal === undefined) return payload
  const { code, message: detail } = refusal
  const title = 'Request refused'
  throw new ApiProblem({ status: 422, headers: new Headers() }, { code, title, detail })
}

/** GraphQL tells trouble in a form of its own; every other route tells it as a problem. */
async function asProblem(request: Request): Promise<Response> {
  const response = await fetch(request)
  if (response.ok) return response
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined)
  const [error] = (body as { errors?: readonly GraphqlError[] } | undefined)?.errors ?? []
  if (error === undefined) return response
  const { status } = response
  const code = error.extensions?.code ?? `HTTP_${status}`
  return Response.json({ code, title: 'GraphQL error', detail: error.message }, { status })
}

/** Reads anew what is shown of families when one of their events moves. */
export function useFamilyChanges(): void {
  useFresh(['families'], moved('families.events'))
}

/** As the GraphQL schema names them. */
export type FamilyRole = 'OWNER' | 'ADMIN' | 'MEMBER'
export type InvitationStatus = 'PENDING' | 'ACCEPTED' | 'DECLINED' | 'REVOKED' | 'EXPIRED'

export interface FamilyItem {
  readonly id: string
  readonly name: string
  readonly memberCount: number
  readonly createdAt: string
}

export interface Invitation {
  readonly id: string
  readonly email: string
  readonly role: FamilyRole
  readonly status: InvitationStatus
  readonly expiresAt: string
}

export interface Member {
  readonly userId: string
  readonly role: FamilyRole
  readonly joinedAt: string
}

export interface FamilyDetails {
  readonly id: string
  readonly name: string
  /** Null for an administrator of the organisation who is no member. */
  readonly myRole: FamilyRole | null
  readonly members: readonly Member[]
  readonly invitations: readonly Invitation[]
}

export interface NewInvitation {
  readonly familyId: string
  readonly email: string
  readonly role: FamilyRole
}

interface Refusable {
  readonly errors: readonly Refusal[]
}

export async function readFamilies(
  api: Api,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<ListPage<FamilyItem>> {
  const query = `query ($cursor: ID) {
    families(cursor: $cursor) { items { id name memberCount createdAt } nextCursor } }`
  const variables = { cursor: cursor ?? null }
  const data = await ask<{ families: ListPage<FamilyItem> }>(api, { query, variables }, signal)
  return data.families
}

/** Null for a family that the user may not see. */
export async function readFamily(
  api: Api,
  id: string,
  signal: AbortSignal,
): Promise<FamilyDetails | null> {
  const query = `query ($id: ID!) { family(id: $id) {
    id name myRole members { userId role joinedAt }
    invitations { id email role status expiresAt } } }`
  const request = { query, variables: { id } }
  return (await ask<{ family: FamilyDetails | null }>(api, request, signal)).family
}

/** The name of a family that was changed. */
interface NamedFamily {
  readonly id: string
  readonly name: string
}

/** A mutation, sent by what acts: what its payload has beside the errors. */
function mutate<Payload>(name: string, input: object, answers = '') {
  return async (api: Api): Promise<Payload> => {
    const type = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}Input`
    const query = `mutation ($input: ${type}!) {
      done: ${name}(input: $input) { ${answers} errors { code message } } }`
    const data = await ask<{ done: Refusable & Payload }>(api, { query, variables: { input } })
    return doneOr(data.done)
  }
}

const familyBy = (name: string, input: object) => async (api: Api) => {
  const answers = 'family { id name }'
  return (await mutate<{ family: NamedFamily }>(name, input, answers)(api)).family
}

const invitationBy = (name: string, input: object) => async (api: Api) => {
  const answers = 'invitation { id email role status expiresAt }'
  return (await mutate<{ invitation: Invitation }>(name, input, answers)(api)).invitation
}

export const createFamily = (name: string) => familyBy('createFamily', { name })

export const invite = (input: NewInvitation) => invitationBy('inviteFamilyMemberByEmail', input)

/** A new token and another 14 days; the old token opens nothing from then on. */
export const resend = (invitationId: string) => invitationBy('resendInvitation', { invitationId })

export const revoke = (invitationId: string) => invitationBy('revokeInvitation', { invitationId })

/** The logged-in user joins the family that the token is for. */
export const accept = (token: string) => familyBy('acceptInvitation', { token })

/** The invitation that the token is for is turned down. */
export const decline = (token: string) => invitationBy('declineInvitation', { token })

/** What is done to members, by the name of its mutation. */
interface MemberInputs {
  readonly leaveFamily: { readonly familyId: string }
  readonly removeFamilyMember: { readonly familyId: string; readonly userId: string }
  readonly transferFamilyOwnership: { readonly familyId: string; readonly userId: string }
  readonly changeFamilyMemberRole: Omit<NewInvitation, 'email'> & { readonly userId: string }
}

export function changeMembers<Name extends keyof MemberInputs>(
  name: Name,
  input: MemberInputs[Name],
) {
  return mutate(name, input)
}
