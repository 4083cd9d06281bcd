import type { Transaction } from '@posthorn/engine'
import type { FieldError } from '@posthorn/http'
import type { NewMessage } from '../message.ts'
import { fillTemplate, type SentComponent, type TemplatePayload } from './fill.ts'
import { findTemplates } from './queries.ts'
import type { TemplateRow } from './template.ts'

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
    return wrong('payloadJson.language', `must be one of ${languages}, as ${name} is registered`)
  }
  if (template.status !== 'APPROVED') {
    return wrong('templateCode', `is ${template.status} at WhatsApp; only APPROVED ones are sent`)
  }
  const filled = fillTemplate(template, payload)
  if (filled.kind === 'wrong') return filled
  return { kind: 'fits', components: filled.components, category: template.category }
}

function unregistered({ header, buttons, parameters = [] }: TemplatePayload): Fitted {
  const reason = 'needs a template that is registered'
  if (header !== undefined) return wrong('payloadJson.header', reason)
  if (buttons !== undefined) return wrong('payloadJson.buttons', reason)
  if (!Array.isArray(parameters)) return wrong('payloadJson.parameters', `by name ${reason}`)
  return { kind: 'fits' }
}

function wrong(field: string, reason: string): Fitted {
  return { kind: 'wrong', errors: [{ field, reason }] }
}
