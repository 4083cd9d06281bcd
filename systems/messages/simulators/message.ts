import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { GRAPH_ERRORS, type GraphError } from './errors.ts'

const Parameter = Type.Union([
  Type.Object({ type: Type.Literal('text'), text: Type.String({ minLength: 1 }) }),
  Type.Object({
    type: Type.Literal('image'),
    image: Type.Union([
      Type.Object({ link: Type.String({ pattern: '^https?://' }) }),
      Type.Object({ id: Type.String({ minLength: 1 }) }),
    ]),
  }),
])

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
        Type.Object({
          type: Type.Enum(['header', 'body', 'button']),
          sub_type: Type.Optional(Type.String()),
          index: Type.Optional(Type.Union([Type.String(), Type.Integer()])),
          parameters: Type.Optional(Type.Array(Parameter)),
        }),
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
  const template = TEMPLATES.find((each) => each.name === name)
  if (!template) return { ...GRAPH_ERRORS.templateMissing, details: `no ${name}` }
  const details = mismatchOf(template, components)
  return details === undefined ? body : { ...GRAPH_ERRORS.templateParameters, details }
}

type Components = NonNullable<TemplateMessage['template']['components']>

/** What the components do not have that the template wants, or have too much. */
function mismatchOf(template: SimulatedTemplate, components: Components): string | undefined {
  const { name, header, button } = template
  const given = components.find(({ type }) => type === 'body')?.parameters ?? []
  const wanted = bodyCountOf(template)
  if (given.length !== wanted) return `${name} takes ${wanted} parameters, not ${given.length}`
  const image = components.find(({ type }) => type === 'header')?.parameters?.[0]
  if ((image?.type === 'image') !== (header === 'IMAGE')) {
    return `the header of ${name} takes ${header === 'IMAGE' ? 'an image' : 'nothing'}`
  }
  const pressed = components.filter(({ type }) => type === 'button')
  if (pressed.length !== (button ? 1 : 0)) return `${name} takes ${button ? 1 : 0} buttons`
  const [first] = pressed
  if (!first) return undefined
  const isUrl = first.sub_type === 'url' && String(first.index) === '0'
  const [value] = first.parameters ?? []
  if (!isUrl || value?.type !== 'text') return `the button of ${name} takes a text, as url 0`
  const [code] = given
  const isSame = code?.type === 'text' && code.text === value.text && code.text.length <= 15
  return button?.type === 'OTP' && !isSame ? 'the button must have the code of the body' : undefined
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

/** A template that Meta has approved, as it lists them. */
interface SimulatedTemplate {
  readonly name: string
  readonly category: 'AUTHENTICATION' | 'MARKETING' | 'UTILITY'
  readonly header?: 'IMAGE'
  readonly body: string | undefined
  /** Buttons that take a value. */
  readonly button?: { readonly type: 'URL'; readonly url: string } | { readonly type: 'OTP' }
}

const TEMPLATES: readonly SimulatedTemplate[] = [
  { name: 'hello_world', category: 'UTILITY', body: 'Hello World' },
  { name: 'otp_code', category: 'UTILITY', body: 'Your code is {{1}}.' },
  {
    name: 'appointment_reminder',
    category: 'UTILITY',
    body: 'Your appointment is on {{1}} at {{2}}.',
  },
  { name: 'payment_receipt', category: 'UTILITY', body: 'We have received {{1}} for {{2}}.' },
  // Its text is Meta's own; the code stands in it and in the button.
  { name: 'login_code', category: 'AUTHENTICATION', body: undefined, button: { type: 'OTP' } },
  {
    name: 'order_shipped',
    category: 'UTILITY',
    header: 'IMAGE',
    body: 'Hello {{name}}, your order {{order}} is on its way.',
    button: { type: 'URL', url: 'https://shop.example/orders/{{1}}' },
  },
]

/** How many parameters the body takes. */
function bodyCountOf({ body }: SimulatedTemplate): number {
  return body === undefined ? 1 : new Set(body.match(/\{\{\w+\}\}/g)).size
}

/** The list of `GET /{account}/message_templates`. */
export function listing(): unknown {
  const data = TEMPLATES.map(({ name, category, header, body, button }, i) => ({
    ...{ id: String(1_000 + i), name, language: 'en_US', status: 'APPROVED', category },
    components: [
      ...(header ? [{ type: 'HEADER', format: header }] : []),
      body === undefined
        ? { type: 'BODY', add_security_recommendation: true }
        : { type: 'BODY', text: body },
      ...(button ? [{ type: 'BUTTONS', buttons: [buttonOf(button)] }] : []),
    ],
  }))
  return { data, paging: { cursors: { before: 'a', after: 'b' } } }
}

function buttonOf(button: NonNullable<SimulatedTemplate['button']>): unknown {
  return button.type === 'OTP'
    ? { type: 'OTP', otp_type: 'COPY_CODE', text: 'Copy code' }
    : { type: 'URL', text: 'Follow it', url: button.url }
}

const TextMessage = Type.Object({
  messaging_product: Type.Literal('whatsapp'),
  recipient_type: Type.Optional(Type.Literal('individual')),
  to: Type.String({ pattern: '^(\\+?[0-9]{7,15}|[A-Z]{2}\\.[A-Za-z0-9]{1,128})$' }),
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
  const { recipient, ...rest } = (body ?? {}) as Record<string, unknown>
  // By the number if both are there, as Meta does.
  const message = { to: recipient, ...rest }
  if (Value.Check(TextMessage, message)) return message
  const { messaging_product: product, to, text } = message as Record<string, unknown>
  if (product !== 'whatsapp') return GRAPH_ERRORS.parameterInvalid
  if (to === undefined || text === undefined) return GRAPH_ERRORS.parameterMissing
  const [first] = Value.Errors(TextMessage, message)
  return { ...GRAPH_ERRORS.valueInvalid, details: `${first?.instancePath} ${first?.message}` }
}
