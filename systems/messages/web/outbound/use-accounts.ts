import { type ItemOf, useRead } from '@posthorn/dashboard/kit'

export type Account = ItemOf<'/api/v1/outbound/accounts'>

/** The organisation's accounts, and the default ones of the server. */
export function useAccounts() {
  return useRead('/api/v1/outbound/accounts', ['outbound', 'accounts'])
}

export function accountTitle({ isDefault, channel, name }: Account): string {
  return isDefault ? `Default account for ${channel}` : name
}

export type Template = ItemOf<'/api/v1/outbound/templates'>

/** The templates that the organisation has registered, the first 200. */
export function useTemplates() {
  return useRead('/api/v1/outbound/templates', ['outbound', 'templates', 'all'], {
    params: { query: { limit: 200 } },
  })
}

/** What a message of this template must contain, as a phrase. */
export function wantedPhrase({ parameters: { header, body, buttons } }: Template): string {
  const parts = [
    ...(header === null ? [] : [header === 'text' ? 'a header' : `a header with ${header}`]),
    ...(body.length === 0 ? [] : [`${body.length} in the body (${body.join(', ')})`]),
    ...buttons.map((kind) => (kind === 'otp' ? 'the code in its button, by itself' : 'a button')),
  ]
  return parts.length === 0 ? 'nothing' : parts.join(', ')
}
