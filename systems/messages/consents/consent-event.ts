import { Type, type Static } from 'typebox'
import { Id, NullableText, resource, type RowOf } from '@posthorn/system'
import { Time } from '../message.ts'

/** How people say that they agree, or no longer do. */
const CONSENT_SOURCES = ['api', 'form', 'paper', 'spoken', 'message', 'import'] as const

/** One word about consent, and what it rests on. */
export interface ConsentWord {
  readonly granted: boolean
  /** Who wrote it down. */
  readonly by: string
  /** `keyword`: the person wrote it; `provider`: the provider says so. */
  readonly source: (typeof CONSENT_SOURCES)[number] | 'keyword' | 'provider'
  /** Where the consent can be seen: a document, a recording, a message. */
  readonly proof?: string
  /** When it was said; left out: now, after everything before. */
  readonly saidAt?: Date
}

/** A word about consent as a caller gives it. */
export const NewConsent = Type.Object({
  granted: Type.Boolean(),
  source: Type.Enum([...CONSENT_SOURCES], { default: 'api', description: 'How consent was given' }),
  proof: Type.Optional(
    Type.String({ minLength: 1, maxLength: 1_000, description: 'Where the proof is kept' }),
  ),
})
export type NewConsent = Static<typeof NewConsent>

/**
 * When a keyword counts as said, of a time in whole seconds: a withdrawal at the end of its second, a
 * grant at the beginning, so that in doubt the withdrawal stands.
 */
export function keywordTime(sentAt: Date, granted: boolean): Date {
  return granted ? sentAt : new Date(sentAt.getTime() + 999)
}

/** A grant or a withdrawal as the API shows it. */
export const ConsentEventResource = Type.Object({
  id: Id,
  channel: Type.String(),
  dossierId: NullableText,
  recipient: NullableText,
  granted: Type.Boolean(),
  source: Type.String({
    description: 'How consent was given; keyword: by a word in a message of the person',
  }),
  proof: NullableText,
  actor: Type.String({ description: 'Who recorded it' }),
  saidAt: Time,
})

/** A row of `messages.consent_event`. */
export interface ConsentEventRow extends RowOf<typeof ConsentEventResource> {
  readonly seq: string
}

export const toConsentEvent = resource(ConsentEventResource)
