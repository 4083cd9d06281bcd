import type { paths } from '../../api/schema.d.ts'

export type NewMessage =
  paths['/api/v1/outbound/messages']['post']['requestBody']['content']['application/json']

export const CHANNELS = ['whatsapp', 'email'] as const

/** Templates that the simulated WhatsApp knows; a real account has its own. */
export const SIMULATED_TEMPLATES = [
  'hello_world',
  'otp_code',
  'appointment_reminder',
  'payment_receipt',
]

/** What was typed into the form. */
export interface MessageDraft {
  readonly channel: (typeof CHANNELS)[number]
  readonly to: string
  readonly templateCode: string
  readonly language: string
  /** One to a line. */
  readonly parameters: string
  readonly subject: string
  readonly text: string
  readonly dossierId: string
  readonly maxAttempts: number
}

export const EMPTY_DRAFT: MessageDraft = {
  channel: 'whatsapp',
  to: '',
  templateCode: '',
  language: 'en_US',
  parameters: '',
  subject: '',
  text: '',
  dossierId: '',
  maxAttempts: 5,
}

/** The request that a draft stands for; the server says what is wrong with it. */
export function requestOf(draft: MessageDraft): NewMessage {
  const { channel, templateCode, maxAttempts } = draft
  const dossierId = draft.dossierId.trim()
  return {
    channel,
    to: draft.to.trim(),
    templateCode: templateCode.trim(),
    payloadJson:
      channel === 'email'
        ? { subject: draft.subject.trim(), text: draft.text }
        : { language: draft.language.trim(), parameters: linesOf(draft.parameters) },
    maxAttempts,
    ...(dossierId !== '' && { dossierId }),
  }
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
