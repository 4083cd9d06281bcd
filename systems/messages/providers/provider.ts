import { retryLater, type Duration, type Failure, type Outcome } from '@posthorn/engine'
import type { FieldError } from '@posthorn/http'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import type { NewMessage } from '../message.ts'

/** A message on its way to a provider. */
export interface Outgoing {
  readonly id: string
  readonly orgId: string
  /** Which attempt this is; a provider that can gives it back with its reports. */
  readonly attemptNo: number
  /** How long it waits if this attempt fails. */
  readonly waitMs: number
  readonly dossierId: string | null
  /** Null: the account of the settings sends it. */
  readonly accountId: string | null
  /** Set for free text within a conversation. */
  readonly conversationId: string | null
  readonly channel: string
  readonly to: string
  readonly templateCode: string | null
  readonly payload: Readonly<Record<string, unknown>>
  /** What the provider takes, where the template is registered. */
  readonly components: unknown
}

/** Whose credentials messages go out with. */
export interface SendingAccount {
  /** Of `messages.account`; the channel, for the account of the settings. */
  readonly id: string
  readonly orgId: string | null
  readonly accessToken: string
  /** Our own numbers or addresses; each recipient belongs to one of them. */
  readonly numberIds: readonly string[]
  /** A digest: another one means that they have changed. */
  readonly credentials: string
}

/** What a person has to mend before anything more is sent. */
export interface Stop {
  readonly account: SendingAccount
  /** The only number that it is about; empty for all of the account. */
  readonly numberId: string
}

/** What came of sending, with the provider's own words where it had any. */
export type Answered = Outcome & {
  readonly response?: unknown
  /** Set where the account must not be used again before a person has acted. */
  readonly stop?: Stop
  /** Set where the message was let through to see whether this stop is over. */
  readonly probed?: Stop & { readonly byReport: boolean }
}

/** How long a message waits at the most for an account that is stopped; the resumption ends it. */
export const HOLD: Duration = '15m'

/** Who brings the messages of one channel to people. */
export interface Provider {
  readonly channel: string
  /** What this channel cannot send, field by field; empty if the message is valid. */
  check(message: NewMessage): FieldError[]
  /** The account of the settings. */
  readonly own: SendingAccount
  /** Which of the account's numbers or addresses sends to this recipient; always the same one. */
  senderFor(to: string, account: Pick<SendingAccount, 'numberIds'>): string
  /** Never throws for what the other side does. */
  send(message: Outgoing, account: SendingAccount, signal: AbortSignal): Promise<Answered>
  close(): Promise<void>
}

/** The message waits, and nothing is charged: it is not its fault. */
export function stopped(error: Failure, stop: Stop): Answered {
  return { ...retryLater(error, { after: HOLD, charge: false, tried: true }), stop }
}

export type Providers = ReadonlyMap<string, Provider>

export function providersOf(providers: readonly Provider[]): Providers {
  return new Map(providers.map((provider) => [provider.channel, provider]))
}

/** Throws for a channel without a provider: such a row can never be sent. */
export function providerOf(providers: Providers, channel: string): Provider {
  const provider = providers.get(channel)
  if (!provider) throw new Error(`no provider for the channel "${channel}"`)
  return provider
}

/** What does not fit a channel's form of `payloadJson`, each field once. */
export function payloadErrors(form: TSchema, payload: unknown): FieldError[] {
  const errors = new Map<string, string>()
  for (const finding of Value.Errors(form, payload)) {
    const at = `payloadJson${finding.instancePath.replaceAll('/', '.')}`
    if (finding.keyword === 'required') {
      finding.params.requiredProperties.forEach((name) =>
        errors.set(`${at}.${name}`, 'is required'),
      )
    } else if (finding.keyword === 'boolean') errors.set(at, 'is not known here')
    // The fields that are too many are findings of their own.
    else if (finding.keyword !== 'additionalProperties' && !errors.has(at)) {
      errors.set(at, finding.message)
    }
  }
  return [...errors].map(([field, reason]) => ({ field, reason }))
}
