import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import { GRAPH_ERRORS, type GraphError } from './errors.ts'

const TextMessage = Type.Object({
  messaging_product: Type.Literal('whatsapp'),
  recipient_type: Type.Optional(Type.Literal('individual')),
  to: Type.String({ pattern: '^\\+?[0-9]{7,15}$' }),
  type: Type.Literal('text'),
  text: Type.Object({
    body: Type.String({ minLength: 1, maxLength: 4_096 }),
    preview_url: Type.Optional(Type.Boolean()),
  }),
  context: Type.Optional(Type.Object({ message_id: Type.String({ minLength: 1 }) })),
  biz_opaque_callback_data: Type.Optional(Type.String({ maxLength: 512 })),
})
export type TextMessage = Static<typeof TextMessage>

/** Whether a request is for free text, right or wrong. */
export function isText(body: unknown): boolean {
  return (body as { type?: unknown } | null)?.type === 'text'
}

/** The text in a request, or what Meta would say is wrong with it. */
export function readTextMessage(body: unknown): TextMessage | GraphError {
  if (Value.Check(TextMessage, body)) return body
  const { messaging_product: product, to, text } = (body ?? {}) as Record<string, unknown>
  if (product !== 'whatsapp') return GRAPH_ERRORS.parameterInvalid
  if (to === undefined || text === undefined) return GRAPH_ERRORS.parameterMissing
  const [first] = Value.Errors(TextMessage, body)
  return { ...GRAPH_ERRORS.valueInvalid, details: `${first?.instancePath} ${first?.message}` }
}
