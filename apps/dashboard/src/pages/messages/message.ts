import type { paths } from '../../api/schema.d.ts'

type Listed =
  paths['/api/v1/outboxes/{name}/messages']['get']['responses']['200']['content']['application/json']['items'][number]

/** A message of a list, with the outbox that it is in. */
export interface MessageRow extends Listed {
  readonly outbox: string
}

export type MessageDetails =
  paths['/api/v1/outboxes/{name}/messages/{id}']['get']['responses']['200']['content']['application/json']

/** Which message: as an address has it, `<outbox>:<id>`. */
export interface MessageKey {
  readonly outbox: string
  readonly id: string
}

export function addressOf({ outbox, id }: MessageKey): string {
  return `${outbox}:${id}`
}

/** Undefined for what is no such address. An outbox has no colon in its name; an id may. */
export function keyIn(address: string | undefined): MessageKey | undefined {
  const colon = address?.indexOf(':') ?? -1
  if (address === undefined || colon < 1 || colon === address.length - 1) return undefined
  return { outbox: address.slice(0, colon), id: address.slice(colon + 1) }
}
