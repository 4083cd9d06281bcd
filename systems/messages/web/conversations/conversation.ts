import type { Answer, ItemOf } from '@posthorn/dashboard/kit'

export type ConversationResource = Answer<'/api/v1/conversations/{id}'>
export type ThreadItem = ItemOf<'/api/v1/conversations/{id}/messages'>

/** Names for messages without text. */
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

export function personOf({ contactName, recipient }: ConversationResource): string {
  return contactName ?? recipient
}

const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
const DAY_AND_TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** A time of day, with the date if it is not today. */
export function formatMoment(at: string, now: number): string {
  const date = new Date(at)
  const isToday = date.toDateString() === new Date(now).toDateString()
  return (isToday ? TIME : DAY_AND_TIME).format(date)
}

type Session = Pick<ConversationResource, 'sessionOpen' | 'sessionUntil'>

/** Whether free text may be sent; the session may have ended since the server answered. */
export function isSessionOpen({ sessionOpen, sessionUntil }: Session, now: number): boolean {
  return sessionOpen && Date.parse(sessionUntil) > now
}

export function sessionSentence(session: Session, now: number): string {
  const end = formatMoment(session.sessionUntil, now)
  return isSessionOpen(session, now) ? `Open until ${end}` : `Closed since ${end}: only templates`
}

/** The provider's reports of an outbound message, in order. */
export function stepsOf({ sentAt, deliveredAt, readAt }: ThreadItem) {
  const steps = [
    { word: 'Sent', at: sentAt },
    { word: 'Delivered', at: deliveredAt },
    { word: 'Read', at: readAt },
  ]
  return steps.flatMap(({ word, at }) => (at === null ? [] : [{ word, at }]))
}

/** The parameters of a template message, which is all of its text that is stored. */
export function parametersOf(content: unknown): string[] {
  const { parameters } = (content ?? {}) as { parameters?: unknown }
  return Array.isArray(parameters)
    ? parameters.filter((each): each is string => typeof each === 'string')
    : []
}
