import { Type, type Static } from 'typebox'
import { failureOf, type Failure } from '@posthorn/engine'
import { NullableText, nullable, resource, type RowOf, type Sealing } from '@posthorn/system'
import { Time } from '../message.ts'
import type { SendingAccount } from '../providers/provider.ts'

/** A row of `messages.account`; secrets are sealed. */
export interface AccountRow
  extends
    Record<Secret, string>,
    Omit<RowOf<typeof AccountResource, NotStored>, 'phone_number_ids'> {
  readonly org_id: string
  readonly phone_number_ids: readonly string[]
}
type NotStored = 'isDefault' | 'channel' | 'webhookPath' | 'stops' | 'notices'

type Secret = 'access_token' | 'app_secret' | 'verify_token'

/** The columns of the secrets that are given. */
export function sealSecrets<Given extends Static<typeof AccountChange>>(
  sealing: Sealing,
  id: string,
  { accessToken, appSecret, verifyToken }: Given,
) {
  const given = { access_token: accessToken, app_secret: appSecret, verify_token: verifyToken }
  const sealed = Object.entries(given).flatMap(([secret, value]) =>
    value === undefined ? [] : [[secret, sealing.seal(value, contextOf(id, secret))]],
  )
  return Object.fromEntries(sealed) as Given extends NewAccount
    ? Record<Secret, string>
    : Partial<Record<Secret, string>>
}

export function openSecret(sealing: Sealing, account: AccountRow, secret: Secret): string {
  return sealing.open(account[secret], contextOf(account.id, secret))
}

/** What a worker needs of an account to send with it. */
export function toSendingAccount(sealing: Sealing, account: AccountRow): SendingAccount {
  const accessToken = openSecret(sealing, account, 'access_token')
  return {
    id: account.id,
    orgId: account.org_id,
    accessToken,
    numberIds: account.phone_number_ids,
    credentials: sealing.digest(accessToken, `messages.account ${account.id}`),
  }
}

/** What cannot be opened, for want of a key, must not hold up other accounts. */
export function openAccount(sealing: Sealing, row: AccountRow): SendingAccount | Failure {
  try {
    return toSendingAccount(sealing, row)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return failureOf({ code: 'ACCOUNT_UNREADABLE', message }, '')
  }
}

function contextOf(id: string, secret: string): string {
  return `messages.account ${id} ${secret}`
}

const Name = Type.String({ minLength: 1, maxLength: 100 })
const Token = Type.String({ minLength: 8, maxLength: 1_000, pattern: '^[\\x21-\\x7e]+$' })
const NumberIds = Type.Array(Type.String({ pattern: '^\\d{1,30}$' }), {
  minItems: 1,
  maxItems: 50,
  uniqueItems: true,
  description: "Meta's ids of the phone numbers to send from",
})
const BusinessAccountId = Type.String({
  pattern: '^\\d{1,30}$',
  description: "Meta's id of the WhatsApp business account; needed to import its templates",
})

export const NewAccount = Type.Object({
  name: Name,
  phoneNumberIds: NumberIds,
  accessToken: Token,
  appSecret: Token,
  verifyToken: Token,
  businessAccountId: Type.Optional(BusinessAccountId),
})
export type NewAccount = Static<typeof NewAccount>

export const AccountChange = Type.Partial(NewAccount)

export const StopResource = Type.Object({
  phoneNumberId: nullable(Type.String(), {
    description: 'Number that is stopped; null for all numbers',
  }),
  code: Type.String(),
  reason: Type.String(),
  stoppedAt: Time,
  nextProbeAt: Time,
})

export const NoticeResource = Type.Object({
  field: Type.String({ description: 'Field of the webhook, such as account_update or errors' }),
  subject: nullable(Type.String(), { description: 'Template or phone number' }),
  event: Type.String({ description: 'Name of the event at WhatsApp' }),
  detail: NullableText,
  saidAt: Time,
})

/** A row of `messages.account_notice`. */
export interface NoticeRow extends RowOf<typeof NoticeResource> {
  readonly account_id: string
}

export const AccountResource = Type.Object({
  id: Type.String({
    description:
      "Id of the account; `whatsapp` and `email` are the accounts in the server's settings",
  }),
  name: Type.String(),
  isDefault: Type.Boolean({
    description: "True for an account in the server's settings, shared by all organisations",
  }),
  channel: Type.String(),
  phoneNumberIds: Type.Array(Type.String()),
  businessAccountId: NullableText,
  webhookPath: NullableText,
  stops: Type.Array(StopResource),
  notices: Type.Array(NoticeResource, {
    description:
      'Last ten notices of WhatsApp about the account; only the platform sees those of default accounts',
  }),
  createdAt: nullable(Time),
  updatedAt: nullable(Time),
})

/** A row of `messages.sending_stop`. */
export interface StopRow extends RowOf<typeof StopResource, 'phoneNumberId' | 'nextProbeAt'> {
  readonly account_id: string
  /** Empty for all numbers. */
  readonly number_id: string
  readonly org_id: string | null
  readonly credentials: string
  readonly probe_at: Date
  readonly probe_message_id: string | null
  readonly by_report: boolean
}

const toStop = resource(StopResource, {
  phoneNumberId: ({ number_id: id }: StopRow) => (id === '' ? null : id),
  nextProbeAt: ({ probe_at: at }) => at.toISOString(),
})

/** Where Meta's app of this account sends its webhooks. */
export function webhookPathOf(id: string): string {
  return `/api/v1/webhooks/whatsapp/accounts/${id}/inbound`
}

type Watched<Account> = Account & {
  readonly stops: readonly StopRow[]
  readonly notices: readonly NoticeRow[]
}

/** An account of an organisation. */
export const toAccount = resource(AccountResource, {
  isDefault: () => false,
  channel: () => 'whatsapp',
  webhookPath: ({ id }: Watched<AccountRow>) => webhookPathOf(id),
  stops: ({ stops }) => stops.map(toStop),
})

/** An account of the settings. */
export const toOwnAccount = resource(AccountResource, {
  name: () => 'Default',
  isDefault: () => true,
  phoneNumberIds: ({ numberIds }: Watched<OwnAccount>) => [...numberIds],
  webhookPath: ({ channel }) =>
    channel === 'whatsapp' ? '/api/v1/webhooks/whatsapp/inbound' : null,
  stops: ({ stops }) => stops.map(toStop),
})
type OwnAccount = SendingAccount & { readonly channel: string }
