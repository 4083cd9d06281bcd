import { Type, type Static } from 'typebox'
import { nullable, NullableText, resource, time, type RowOf, type Sealing } from '@posthorn/system'

/** Where PagerDuty takes events, unless a channel names another address of the same form. */
const PAGERDUTY_URL = 'https://events.pagerduty.com/v2/enqueue'

const Name = Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' })
const Url = Type.String({ minLength: 1, maxLength: 2_048, pattern: '^https?://' })

export const NewChannel = Type.Union([
  Type.Object({
    kind: Type.Literal('email'),
    name: Name,
    address: Type.String({ maxLength: 254, pattern: '^[^\\s@<>,;]+@[^\\s@<>,;]+$' }),
  }),
  Type.Object({ kind: Type.Literal('slack'), name: Name, url: Url }),
  Type.Object({
    kind: Type.Literal('pagerduty'),
    name: Name,
    url: Type.Optional(Url),
    routingKey: Type.String({ minLength: 8, maxLength: 200, pattern: '^[\\x21-\\x7e]+$' }),
  }),
])
export type NewChannel = Static<typeof NewChannel>

export const ChannelResource = Type.Object({
  id: Type.String({ format: 'uuid' }),
  kind: Type.Enum(['email', 'slack', 'pagerduty']),
  name: Type.String(),
  shown: Type.String({ description: 'Public part of the address' }),
  tenant: nullable(Type.String(), {
    description: 'Organisation whose incidents the channel receives; null for all',
  }),
  createdBy: Type.String(),
  createdAt: time({ format: 'date-time' }),
  lastNotice: Type.Union([
    Type.Object({
      status: Type.String(),
      error: NullableText,
      at: Type.String({ format: 'date-time' }),
    }),
    Type.Null(),
  ]),
})

/** Where notices go, as its table has it. */
export interface Channel extends RowOf<typeof ChannelResource, 'lastNotice'> {
  readonly sealed_address: string
  readonly sealed_key: string | null
  readonly last_status: string | null
  readonly last_error: string | null
  readonly last_at: Date | null
}

export const channelResource = resource(ChannelResource, {
  lastNotice: ({ last_status: status, last_error: error, last_at: at }: Channel) =>
    status === null || at === null ? null : { status, error, at: at.toISOString() },
})

/** The address of a new channel, its key, and what of it may be shown. */
export function addressOf(channel: NewChannel): { address: string; key?: string; shown: string } {
  if (channel.kind === 'email') return { address: channel.address, shown: channel.address }
  if (channel.kind === 'slack') return { address: channel.url, shown: hostOf(channel.url) }
  const address = channel.url ?? PAGERDUTY_URL
  return { address, key: channel.routingKey, shown: hostOf(address) }
}

/** What is no URL is refused after this, by the guard. */
function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : address
}

/** The secrets of one channel: sealed for it they open for no other. */
export function secretsOf(sealing: Sealing, id: string) {
  const contextOf = (part: 'address' | 'key') => `incidents.channel/${id}/${part}`
  return {
    seal: (part: 'address' | 'key', text: string) => sealing.seal(text, contextOf(part)),
    open: (part: 'address' | 'key', sealed: string) => sealing.open(sealed, contextOf(part)),
  }
}
