import type { FieldError } from '@posthorn/http'
import { type TemplateRow, type Wanted, isNumbered, partOf, wantedBy } from './template.ts'
import type { Transaction } from '@posthorn/engine'
import type { NewMessage } from '../message.ts'
import { findTemplates } from './queries.ts'

/** What a message gives to its template, as `payloadJson` of the channel whatsapp. */
export interface TemplatePayload {
  readonly language?: string
  readonly header?: string | MediaLink
  readonly parameters?: readonly string[] | Readonly<Record<string, string>>
  readonly buttons?: readonly string[]
}

/** A picture, a video or a document, by its address or by Meta's id of it. */
export interface MediaLink {
  readonly link?: string
  readonly id?: string
  readonly filename?: string
}

/** A component of a message as the Cloud API takes it. */
export interface SentComponent {
  readonly type: 'header' | 'body' | 'button'
  readonly sub_type?: 'url' | 'copy_code'
  readonly index?: string
  readonly parameters: readonly object[]
}

export type Filled =
  | { readonly kind: 'filled'; readonly components: readonly SentComponent[] }
  | { readonly kind: 'wrong'; readonly errors: readonly FieldError[] }

/** Meta's limits, in characters. */
const MOST_CODE = 15
const MOST_BODY = 1_024
const MOST_HEADER = 60
const MOST_SUFFIX = 2_000

/** The components of a message, or what is missing, too much or too long. */
export function fillTemplate(template: TemplateRow, payload: TemplatePayload): Filled {
  const wanted = wantedBy(template)
  const errors: FieldError[] = []
  const wrong = (field: string, reason: string) =>
    errors.push({ field: `payloadJson.${field}`, reason })
  const header = fillHeader(template, wanted, { payload, wrong })
  const values = bodyValues(wanted, { payload, wrong })
  const body = fillBody(template, wanted, { values, wrong })
  const buttons = fillButtons(wanted, { payload, values, wrong })
  if (errors.length > 0) return { kind: 'wrong', errors }
  return { kind: 'filled', components: [...header, ...body, ...buttons] }
}

type Wrong = (field: string, reason: string) => void

interface Given {
  readonly payload: TemplatePayload
  readonly wrong: Wrong
}

function fillHeader(
  { components }: TemplateRow,
  { header: kind }: Wanted,
  { payload: { header }, wrong }: Given,
): SentComponent[] {
  if (kind === null) {
    if (header !== undefined) wrong('header', 'is not known: the header of the template is fixed')
    return []
  }
  if (kind === 'text') {
    if (typeof header !== 'string') {
      wrong('header', 'must be a text')
      return []
    }
    const text = substitute(partOf(components, 'HEADER')?.text ?? '', () => header)
    if (text.length > MOST_HEADER) {
      wrong('header', `makes the header ${text.length} characters long; ${MOST_HEADER} are allowed`)
    }
    return [{ type: 'header', parameters: [{ type: 'text', text: header }] }]
  }
  const hasOne =
    typeof header === 'object' && (header.link === undefined) !== (header.id === undefined)
  if (!hasOne) {
    wrong('header', `must be {link} or {id} of the ${kind}`)
    return []
  }
  if (header.filename !== undefined && kind !== 'document') {
    wrong('header.filename', 'is for documents')
  }
  return [{ type: 'header', parameters: [{ type: kind, [kind]: header }] }]
}

/** The values of the placeholders, in their order. */
function bodyValues({ body }: Wanted, { payload: { parameters = [] }, wrong }: Given): string[] {
  const count = (given: number) =>
    wrong('parameters', `must have ${body.length} values, not ${given}`)
  if (Array.isArray(parameters)) {
    if (body.some((name) => !isNumbered(name))) {
      wrong('parameters', `must be an object with ${body.join(', ')}`)
      return []
    }
    if (parameters.length !== body.length) count(parameters.length)
    return [...(parameters as readonly string[])]
  }
  const named = parameters as Readonly<Record<string, string>>
  if (body.length > 0 && body.every(isNumbered)) {
    wrong('parameters', `must be a list of ${body.length} values`)
    return []
  }
  for (const name of Object.keys(named)) {
    if (!body.includes(name)) wrong(`parameters.${name}`, 'is not known in the template')
  }
  for (const name of body) {
    if (!Object.hasOwn(named, name)) wrong(`parameters.${name}`, 'is required')
  }
  return body.map((name) => named[name] ?? '')
}

function fillBody(
  { components }: TemplateRow,
  { body: names }: Wanted,
  { values, wrong }: { values: readonly string[]; wrong: Wrong },
): SentComponent[] {
  if (names.length === 0) return []
  const text = substitute(partOf(components, 'BODY')?.text ?? '', (name) => {
    return values[names.indexOf(name)] ?? ''
  })
  if (text.length > MOST_BODY) {
    wrong('parameters', `make the body ${text.length} characters long; ${MOST_BODY} are allowed`)
  }
  const parameters = values.map((value, i) => {
    const name = names[i] ?? ''
    return { type: 'text', ...(!isNumbered(name) && { parameter_name: name }), text: value }
  })
  return [{ type: 'body', parameters }]
}

function fillButtons(
  { buttons }: Wanted,
  { payload, values, wrong }: Given & { readonly values: readonly string[] },
): SentComponent[] {
  const asked = buttons.filter(({ kind }) => kind !== 'otp')
  const given = payload.buttons ?? []
  if (given.length !== asked.length) {
    wrong('buttons', `must have ${asked.length} values, not ${given.length}`)
  }
  return buttons.map(({ index, kind }): SentComponent => {
    if (kind === 'otp') {
      const [code = ''] = values
      if (code.length > MOST_CODE) {
        wrong('parameters.0', `is a one-time code of ${code.length}; ${MOST_CODE} are allowed`)
      }
      // The code stands in the body and here: Meta refuses one without the other.
      return button('url', index, { type: 'text', text: code })
    }
    const place = asked.findIndex((each) => each.index === index)
    const value = given[place] ?? ''
    const most = kind === 'copy_code' ? MOST_CODE : MOST_SUFFIX
    if (value.length > most) {
      wrong(`buttons.${place}`, `has ${value.length} characters; ${most} are allowed`)
    }
    return kind === 'copy_code'
      ? button('copy_code', index, { type: 'coupon_code', coupon_code: value })
      : button('url', index, { type: 'text', text: value })
  })
}

function button(subType: 'url' | 'copy_code', index: number, parameter: object): SentComponent {
  return { type: 'button', sub_type: subType, index: String(index), parameters: [parameter] }
}

function substitute(text: string, valueOf: (name: string) => string): string {
  return text.replaceAll(/\{\{\s*([A-Za-z0-9_]+)\s*\}\}/g, (_, name: string) => valueOf(name))
}

export type Fitted =
  | {
      readonly kind: 'fits'
      /** What goes to the provider; undefined where the template is not registered. */
      readonly components?: readonly SentComponent[]
      readonly category?: TemplateRow['category']
    }
  | { readonly kind: 'wrong'; readonly errors: readonly FieldError[] }

/** As the Cloud API reads a message that names no language. */
export const DEFAULT_LANGUAGE = 'en_US'

/**
 * Checks a message against its template. One that is not registered in any language is the
 * provider's to check: it takes positional parameters of the body, and nothing else.
 */
export async function fitTemplate(
  tx: Transaction,
  { orgId, message }: { orgId: string; message: NewMessage },
): Promise<Fitted> {
  const { channel, templateCode: name } = message
  if (channel !== 'whatsapp' || name === undefined) return { kind: 'fits' }
  const payload = message.payloadJson as TemplatePayload
  const templates = await findTemplates(tx, { orgId, name })
  if (templates.length === 0) return unregistered(payload)
  const { language = DEFAULT_LANGUAGE } = payload
  const template = templates.find((each) => each.language === language)
  if (!template) {
    const languages = templates.map((each) => each.language).join(', ')
    return unfit('payloadJson.language', `must be one of ${languages}, as ${name} is registered`)
  }
  if (template.status !== 'APPROVED') {
    return unfit('templateCode', `is ${template.status} at WhatsApp; only APPROVED ones are sent`)
  }
  const filled = fillTemplate(template, payload)
  if (filled.kind === 'wrong') return filled
  return { kind: 'fits', components: filled.components, category: template.category }
}

function unregistered({ header, buttons, parameters = [] }: TemplatePayload): Fitted {
  const reason = 'needs a template that is registered'
  if (header !== undefined) return unfit('payloadJson.header', reason)
  if (buttons !== undefined) return unfit('payloadJson.buttons', reason)
  if (!Array.isArray(parameters)) return unfit('payloadJson.parameters', `by name ${reason}`)
  return { kind: 'fits' }
}

function unfit(field: string, reason: string): Fitted {
  return { kind: 'wrong', errors: [{ field, reason }] }
}
