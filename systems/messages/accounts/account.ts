import { Type, type Static } from 'typebox'
import type { Sealing } from '@posthorn/system'
import type { SendingAccount } from '../providers/provider.ts'

/** A row of `messages.account`; secrets are sealed. */
export interface AccountRow {
  readonly id: string
  readonly org_id: string
  readonly name: string
  readonly business_account_id: string | null
  readonly phone_number_ids: readonly string[]
  readonly access_token: string
  readonly app_secret: string
  readonly verify_token: string
  readonly created_at: Date
  readonly updated_at: Date
}

const SECRETS = ['access_token', 'app_secret', 'verify_token'] as const
export type Secret = (typeof SECRETS)[number]

export function sealSecret(
  sealing: Sealing,
  { id, secret, value }: { id: string; secret: Secret; value: string },
): string {
  return sealing.seal(value, contextOf(id, secret))
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

function contextOf(id: string, secret: Secret): string {
  return `messages.account ${id} ${secret}`
}

const Name = Type.String({ minLength: 1, maxLength: 100 })
const Token = Type.String({ minLength: 8, maxLength: 1_000, pattern: '^[\\x21-\\x7e]+$' })
const NumberIds = Type.Array(Type.String({ pattern: '^\\d{1,30}$' }), {
  minItems: 1,
  maxItems: 50,
  uniqueItems: true,
  description: "Meta's ids of the numbers to send from",
})
const BusinessAccountId = Type.String({
  pattern: '^\\d{1,30}$',
  description: "Meta's id of the WhatsApp business account, for importing its templates",
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

const Time = Type.String({ format: 'date-time' })
const Nullable = Type.Union([Type.String(), Type.Null()])

export const StopResource = Type.Object({
  phoneNumberId: Type.Union([Type.String(), Type.Null()], { description: 'null: all numbers' }),
  code: Type.String(),
  reason: Type.String(),
  stoppedAt: Time,
  nextProbeAt: Time,
})

export const AccountResource = Type.Object({
  id: Type.String({ description: 'whatsapp and email are the accounts of the settings' }),
  name: Type.String(),
  isDefault: Type.Boolean({ description: 'in the settings of the server, for all organisations' }),
  channel: Type.String(),
  phoneNumberIds: Type.Array(Type.String()),
  businessAccountId: Nullable,
  webhookPath: Nullable,
  stops: Type.Array(StopResource),
  createdAt: Type.Union([Time, Type.Null()]),
  updatedAt: Type.Union([Time, Type.Null()]),
})

/** A row of `messages.sending_stop`. */
export interface StopRow {
  readonly account_id: string
  /** Empty for all numbers. */
  readonly number_id: string
  readonly org_id: string | null
  readonly code: string
  readonly reason: string
  readonly credentials: string
  readonly stopped_at: Date
  readonly probe_at: Date
  readonly probe_message_id: string | null
}

export function stopResource(stop: StopRow): Static<typeof StopResource> {
  return {
    phoneNumberId: stop.number_id === '' ? null : stop.number_id,
    code: stop.code,
    reason: stop.reason,
    stoppedAt: stop.stopped_at.toISOString(),
    nextProbeAt: stop.probe_at.toISOString(),
  }
}

/** Where Meta's app of this account sends its webhooks. */
export function webhookPathOf(id: string): string {
  return `/api/v1/webhooks/whatsapp/accounts/${id}/inbound`
}

export function accountResource(
  account: AccountRow,
  stops: readonly StopRow[],
): Static<typeof AccountResource> {
  return {
    id: account.id,
    name: account.name,
    isDefault: false,
    channel: 'whatsapp',
    phoneNumberIds: [...account.phone_number_ids],
    businessAccountId: account.business_account_id,
    webhookPath: webhookPathOf(account.id),
    stops: stops.map(stopResource),
    createdAt: account.created_at.toISOString(),
    updatedAt: account.updated_at.toISOString(),
  }
}

/** An account of the settings. */
export function ownResource(
  channel: string,
  account: SendingAccount,
  stops: readonly StopRow[],
): Static<typeof AccountResource> {
  return {
    ...{ id: account.id, name: 'Default', isDefault: true, channel },
    phoneNumberIds: [...account.numberIds],
    businessAccountId: null,
    webhookPath: channel === 'whatsapp' ? '/api/v1/webhooks/whatsapp/inbound' : null,
    stops: stops.map(stopResource),
    createdAt: null,
    updatedAt: null,
  }
}
