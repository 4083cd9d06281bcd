import type { Outcome } from '@posthorn/engine'
import type { FieldError } from '@posthorn/http'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import type { NewMessage } from '../message.ts'

/** A message on its way to a provider. */
export interface Outgoing {
  readonly id: string
  readonly dossierId: string | null
  readonly channel: string
  readonly to: string
  readonly templateCode: string
  readonly payload: Readonly<Record<string, unknown>>
}

/** What came of sending, with the provider's own words where it had any. */
export type Answered = Outcome & {
  readonly response?: unknown
  /** Set where a person has to act before anything of this sender gets through. */
  readonly alarming?: string
}

/** Who brings the messages of one channel to people. */
export interface Provider {
  readonly channel: string
  /** What this channel cannot send, field by field; empty if the message is valid. */
  check(message: NewMessage): FieldError[]
  /** Which of our own numbers or addresses sends to this recipient; always the same one. */
  senderFor(to: string): string
  /** Never throws for what the other side does. */
  send(message: Outgoing, signal: AbortSignal): Promise<Answered>
  close(): Promise<void>
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
