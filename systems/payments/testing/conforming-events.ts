import type { Pool } from 'pg'
import { Value } from 'typebox/value'
import { findEventType, schemaOf } from '../webhooks/event-types/catalogue.ts'

interface Written {
  readonly event_type: string
  readonly body: unknown
}

/**
 * What merchants were or are to be sent, by types of the catalogue, and every way in which a body is
 * not what its schema says. Types that are not ours are forwarded as they come.
 */
export async function checkEvents(
  pool: Pool,
): Promise<{ types: ReadonlySet<string>; mistakes: string[] }> {
  const { rows } = await pool.query<Written>(
    `select event_type, coalesce(body::json, payload) as body from payments.webhook_deliveries`,
  )
  const known = rows.filter(({ event_type: type }) => findEventType(type) !== undefined)
  const mistakes = known.flatMap(({ event_type: type, body }) => {
    const eventType = findEventType(type)
    const errors = eventType ? Value.Errors(schemaOf(eventType), body) : []
    return [...errors].map((error) => `${type}${error.instancePath} ${error.message}`)
  })
  return { types: new Set(known.map(({ event_type: type }) => type)), mistakes }
}
