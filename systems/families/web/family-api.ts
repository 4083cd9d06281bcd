import { type Api, ApiProblem, dataOf, type ListPage } from '@posthorn/dashboard/kit'

interface GraphqlError {
  readonly message: string
  readonly extensions?: { readonly code?: string }
}

/** Why a mutation did nothing; it comes with status 200. */
interface Refusal {
  readonly code: string
  readonly message: string
}

/** Asks the server by GraphQL; an error is thrown as a problem. */
async function ask<Data>(
  api: Api,
  request: { readonly query: string; readonly variables?: object },
  signal?: AbortSignal,
): Promise<Data> {
  const options = { body: request, fetch: asProblem, ...(signal && { signal }) }
  const answer = (await dataOf(api.POST('/graphql', options as never))) as { data: Data }
  return answer.data
}

/** Turns an error of GraphQL into the problem that other routes answer. */
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

/** Sends a mutation; answers its payload, or throws its refusal. */
function mutate<Payload>(name: string, input: object, answers = '') {
  return async (api: Api): Promise<Payload> => {
    const type = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}Input`
    const query = `mutation ($input: ${type}!) {
      done: ${name}(input: $input) { ${answers} errors { code message } } }`
    type Done = Payload & { readonly errors: readonly Refusal[] }
    const { done } = await ask<{ done: Done }>(api, { query, variables: { input } })
    const [refusal] = done.errors
    if (refusal === undefined) return done
    const { code, message: detail } = refusal
    const title = 'Request refused'
    throw new ApiProblem({ status: 422, headers: new Headers() }, { code, title, detail })
  }
}

const familyBy = (name: string, input: object) =>
  mutate<{ family: Pick<FamilyItem, 'id' | 'name'> }>(name, input, 'family { id name }')

const invitationBy = (name: string, input: object) =>
  mutate<{ invitation: Pick<Invitation, 'email'> }>(name, input, 'invitation { email }')

export const createFamily = (name: string) => familyBy('createFamily', { name })

export const invite = (input: NewInvitation) => invitationBy('inviteFamilyMemberByEmail', input)

/** Sends a new token, valid for another 14 days; the old token stops working. */
export const resend = (invitationId: string) => invitationBy('resendInvitation', { invitationId })

export const revoke = (invitationId: string) => invitationBy('revokeInvitation', { invitationId })

/** The logged-in user joins the family that the token is for. */
export const accept = (token: string) => familyBy('acceptInvitation', { token })

/** Declines the invitation that the token is for. */
export const decline = (token: string) => invitationBy('declineInvitation', { token })

export const leave = (familyId: string) => mutate('leaveFamily', { familyId })

interface Membership {
  readonly familyId: string
  readonly userId: string
}

export const removeMember = (member: Membership) => mutate('removeFamilyMember', member)

export const transferOwnership = (to: Membership) => mutate('transferFamilyOwnership', to)

export const changeRole = (member: Membership & { readonly role: FamilyRole }) =>
  mutate('changeFamilyMemberRole', member)
