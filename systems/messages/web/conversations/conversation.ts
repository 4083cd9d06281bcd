import type { Answer, ItemOf } from '@posthorn/dashboard/kit'

export type ConversationResource = Answer<'/api/v1/conversations/{id}'>
export type ThreadItem = ItemOf<'/api/v1/conversations/{id}/messages'>
export type ConsentEvent = ItemOf<'/api/v1/conversations/{id}/consents'>

/** What a message is called that has no words of its own. */
const KINDS: Readonly<Record<string, string>> = {
  audio: 'Voice message',
  button: 'Button',
  contacts: 'Contact',
  document: 'Document',
  image: 'Picture',
  interactive: 'Choice',
  location: 'Location',
  order: 'Order',
  reaction: 'Reaction',
  sticker: 'Sticker',
  system: 'Notice of WhatsApp',
  unsupported: 'Message that WhatsApp does not pass on',
  video: 'Video',
}

/** A name for the kind of a message; undefined for plain text, which needs none. */
export function kindName(kind: string): string | undefined {
  if (kind === 'text' || kind === 'template') return undefined
  const known = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined
  return known ?? `Message of the kind ${kind}`
}

/** A person by name, else by number. */
export function personOf({ contactName, recipient }: ConversationResource): string {
  return contactName ?? recipient
}

const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
const DAY_AND_TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** A moment by its time, with the day if that is not today's. */
export function formatMoment(at: string, now: number): string {
  const date = new Date(at)
  const isToday = date.toDateString() === new Date(now).toDateString()
  return (isToday ? TIME : DAY_AND_TIME).format(date)
}

/** Whether free text may be sent, and until when, as a sentence. */
export function sessionSentence(
  { sessionOpen, sessionUntil }: Pick<ConversationResource, 'sessionOpen' | 'sessionUntil'>,
  now: number,
): string {
  // What the server said may be older than the end.
  const isOpen = sessionOpen && Date.parse(sessionUntil) > now
  return isOpen
    ? `Open until ${formatMoment(sessionUntil, now)}`
    : `Closed since ${formatMoment(sessionUntil, now)}: only templates`
}

interface StatusStep {
  readonly word: string
  readonly at: string
}

/** What the provider reported of a message of ours, in the order in which it happens. */
export function stepsOf({ sentAt, deliveredAt, readAt }: ThreadItem): StatusStep[] {
  const steps = [
    { word: 'Sent', at: sentAt },
    { word: 'Delivered', at: deliveredAt },
    { word: 'Read', at: readAt },
  ]
  return steps.flatMap(({ word, at }) => (at === null ? [] : [{ word, at }]))
}

/** The words of a template's parameters, which is all that is kept of its text. */
export function parametersOf(content: unknown): string[] {
  const { parameters } = (content ?? {}) as { parameters?: unknown }
  return Array.isArray(parameters)
    ? parameters.filter((each): each is string => typeof each === 'string')
    : []
}
