import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import { GRAPH_ERRORS, type GraphError } from './errors.ts'

/** Templates that are approved, with how many parameters their body has. */
export const TEMPLATES: Readonly<Record<string, number>> = {
  hello_world: 0,
  otp_code: 1,
  appointment_reminder: 2,
  payment_receipt: 2,
}

const Parameter = Type.Object({ type: Type.Literal('text'), text: Type.String({ minLength: 1 }) })

const TemplateMessage = Type.Object({
  messaging_product: Type.Literal('whatsapp'),
  recipient_type: Type.Optional(Type.Literal('individual')),
  to: Type.String({ pattern: '^\\+?[0-9]{7,15}$' }),
  type: Type.Literal('template'),
  template: Type.Object({
    name: Type.String({ minLength: 1 }),
    language: Type.Object({ code: Type.String({ minLength: 2 }) }),
    components: Type.Optional(
      Type.Array(
        Type.Object({ type: Type.String(), parameters: Type.Optional(Type.Array(Parameter)) }),
      ),
    ),
  }),
  biz_opaque_callback_data: Type.Optional(Type.String({ maxLength: 512 })),
})
export type TemplateMessage = Static<typeof TemplateMessage>

/** The message in a request, or what Meta would say is wrong with it. */
export function readTemplateMessage(body: unknown): TemplateMessage | GraphError {
  if (!Value.Check(TemplateMessage, body)) return shapeError(body)
  const { name, components = [] } = body.template
  const wanted = TEMPLATES[name]
  if (wanted === undefined) return { ...GRAPH_ERRORS.templateMissing, details: `no ${name}` }
  const given = components.find(({ type }) => type === 'body')?.parameters?.length ?? 0
  if (given === wanted) return body
  const details = `${name} takes ${wanted} parameters, not ${given}`
  return { ...GRAPH_ERRORS.templateParameters, details }
}

export function isGraphError(value: object): value is GraphError {
  return 'code' in value
}

function shapeError(body: unknown): GraphError {
  const { messaging_product: product, type, to } = (body ?? {}) as Record<string, unknown>
  if (product !== 'whatsapp') return GRAPH_ERRORS.parameterInvalid
  if (to === undefined || type === undefined) return GRAPH_ERRORS.parameterMissing
  if (type !== 'template') return GRAPH_ERRORS.typeUnsupported
  const [first] = Value.Errors(TemplateMessage, body)
  return { ...GRAPH_ERRORS.valueInvalid, details: `${first?.instancePath} ${first?.message}` }
}
