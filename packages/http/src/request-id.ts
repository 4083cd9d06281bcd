import { uuid } from '@posthorn/engine'
import type { IncomingMessage } from 'node:http'

/** What can stand in a log line and a header as it is. */
const SANE = /^[\w.:@+/=-]{1,128}$/

/** The id that the request brings along, if it is a sane one; else a new UUIDv7. */
export function requestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && SANE.test(given) ? given : uuid()
}
