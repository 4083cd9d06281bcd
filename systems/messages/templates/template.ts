import type { FieldError } from '@posthorn/http'
import { nullable, resource, type RowOf } from '@posthorn/system'
import { Type, type Static } from 'typebox'
import { Time } from '../message.ts'

export const CATEGORIES = ['AUTHENTICATION', 'MARKETING', 'UTILITY'] as const

const open = { additionalProperties: true } as const
const Text = (maxLength: number) => Type.String({ minLength: 1, maxLength })

const Header = Type.Object(
  {
    type: Type.Literal('HEADER'),
    format: Type.Enum(['TEXT', 'IMAGE', 'VIDEO', 'DOCUMENT']),
    text: Type.Optional(Text(60)),
  },
  open,
)
const Body = Type.Object(
  {
    type: Type.Literal('BODY'),
    text: Type.Optional(Text(1_024)),
    add_security_recommendation: Type.Optional(Type.Boolean()),
  },
  open,
)
const Footer = Type.Object(
  {
    type: Type.Literal('FOOTER'),
    text: Type.Optional(Text(60)),
    code_expiration_minutes: Type.Optional(Type.Integer({ minimum: 1, maximum: 90 })),
  },
  open,
)
const Button = Type.Object(
  {
    type: Type.Enum(['QUICK_REPLY', 'URL', 'PHONE_NUMBER', 'COPY_CODE', 'OTP']),
    text: Type.Optional(Text(25)),
    url: Type.Optional(Text(2_000)),
  },
  open,
)
const Buttons = Type.Object(
  { type: Type.Literal('BUTTONS'), buttons: Type.Array(Button, { minItems: 1, maxItems: 10 }) },
  open,
)

/** Header, body, footer and buttons, as Meta's Cloud API writes them. */
export const Components = Type.Array(Type.Union([Header, Body, Footer, Buttons]), {
  minItems: 1,
  maxItems: 4,
  documented: { contains: { properties: { type: { const: 'BODY' } } }, maxContains: 1 },
})
export type Components = Static<typeof Components>
type Component<Name extends Components[number]['type']> = Extract<
  Components[number],
  { type: Name }
>

export function partOf<Name extends Components[number]['type']>(
  components: Components,
  type: Name,
): Component<Name> | undefined {
  return components.find((each): each is Component<Name> => each.type === type)
}

/** The placeholders of a text in their order, each once: `1`, `2` or names. */
export function placeholdersIn(text: string | undefined): string[] {
  const found = [...(text ?? '').matchAll(/\{\{\s*([A-Za-z0-9_]+)\s*\}\}/g)].map(([, name]) => name)
  return [...new Set(found as string[])].toSorted((one, other) =>
    isNumbered(one) && isNumbered(other) ? Number(one) - Number(other) : 0,
  )
}

export function isNumbered(placeholder: string): boolean {
  return /^\d+$/.test(placeholder)
}

/** A one-time code goes into the body and, once more, into the button: Meta demands both. */
export function isOneTimeCode({ components }: Pick<TemplateRow, 'components'>): boolean {
  return (partOf(components, 'BUTTONS')?.buttons ?? []).some(({ type }) => type === 'OTP')
}

/** What Meta would not have approved. */
export function templateErrors({
  category,
  components,
}: Pick<TemplateRow, 'category' | 'components'>): FieldError[] {
  const errors: FieldError[] = []
  const wrong = (field: string, reason: string) =>
    errors.push({ field: `components${field}`, reason })
  for (const type of ['HEADER', 'BODY', 'FOOTER', 'BUTTONS'] as const) {
    const count = components.filter((each) => each.type === type).length
    if (count > 1) wrong('', `has ${count} components ${type}; one at the most`)
    if (count === 0 && type === 'BODY') wrong('', 'needs a BODY')
  }
  const header = partOf(components, 'HEADER')
  const headerText = placeholdersIn(header?.text)
  if (header?.format === 'TEXT' && header.text === undefined) wrong('.HEADER.text', 'is required')
  if (headerText.length > 1) wrong('.HEADER.text', 'may have one placeholder')
  const body = partOf(components, 'BODY')
  if (!isInOrder(placeholdersIn(body?.text))) {
    wrong('.BODY.text', 'must have the placeholders {{1}}, {{2}} … without a gap, or names alone')
  }
  const buttons = partOf(components, 'BUTTONS')?.buttons ?? []
  for (const [i, { type, url }] of buttons.entries()) {
    if (type === 'URL' && url === undefined) wrong(`.BUTTONS.${i}.url`, 'is required')
    if (type === 'URL' && !/^[^{}]*(\{\{\w+\}\})?$/.test(url ?? '')) {
      wrong(`.BUTTONS.${i}.url`, 'may have one placeholder, at its end')
    }
  }
  if (category === 'AUTHENTICATION') {
    const isOne = buttons.length === 1 && buttons[0]?.type === 'OTP'
    if (!isOne) wrong('.BUTTONS', 'of an authentication template must be one button OTP')
    if (header) wrong('.HEADER', 'is not allowed in an authentication template')
  } else {
    if (buttons.some(({ type }) => type === 'OTP')) {
      wrong('.BUTTONS', 'may have an OTP in an authentication template only')
    }
    if (body && body.text === undefined) wrong('.BODY.text', 'is required')
  }
  return errors
}

function isInOrder(placeholders: readonly string[]): boolean {
  if (placeholders.every((name) => !isNumbered(name))) return true
  return placeholders.every((name, i) => name === String(i + 1))
}

export const TemplateResource = Type.Object({
  name: Type.String(),
  language: Type.String(),
  category: Type.Enum([...CATEGORIES]),
  status: Type.String({ description: 'Status at Meta; only APPROVED templates are sent' }),
  components: Type.Array(Type.Unknown(), {
    description: 'Components in the format of the WhatsApp Cloud API',
  }),
  parameters: Type.Object(
    {
      header: nullable(Type.Enum(['text', 'image', 'video', 'document'])),
      body: Type.Array(Type.String()),
      buttons: Type.Array(Type.Enum(['url', 'copy_code', 'otp'])),
    },
    { description: 'Parameters that a message must include' },
  ),
  createdAt: Time,
  updatedAt: Time,
})

/** A row of `messages.template`. */
export interface TemplateRow extends RowOf<typeof TemplateResource, 'components' | 'parameters'> {
  readonly org_id: string
  readonly components: Components
}

export const toTemplate = resource(TemplateResource, {
  parameters(row: TemplateRow) {
    const { header, body, buttons } = wantedBy(row)
    return { header, body: [...body], buttons: buttons.map(({ kind }) => kind) }
  },
})

export type WantedButton = { readonly index: number; readonly kind: 'url' | 'copy_code' | 'otp' }

/** What a message must give. */
export interface Wanted {
  readonly header: 'text' | 'image' | 'video' | 'document' | null
  readonly body: readonly string[]
  readonly buttons: readonly WantedButton[]
}

const FORMATS = { TEXT: 'text', IMAGE: 'image', VIDEO: 'video', DOCUMENT: 'document' } as const

export function wantedBy(template: Pick<TemplateRow, 'components'>): Wanted {
  const { components } = template
  const header = partOf(components, 'HEADER')
  const isPlain = header?.format === 'TEXT' && placeholdersIn(header.text).length === 0
  return {
    header: header && !isPlain ? FORMATS[header.format] : null,
    // The text of a one-time code is Meta's own: it has the code.
    body: isOneTimeCode(template) ? ['1'] : placeholdersIn(partOf(components, 'BODY')?.text),
    buttons: (partOf(components, 'BUTTONS')?.buttons ?? []).flatMap(
      ({ type, url }, index): WantedButton[] => {
        if (type === 'OTP') return [{ index, kind: 'otp' }]
        if (type === 'COPY_CODE') return [{ index, kind: 'copy_code' }]
        return type === 'URL' && placeholdersIn(url).length > 0 ? [{ index, kind: 'url' }] : []
      },
    ),
  }
}
