import { sql, type Queryable } from '@posthorn/engine'
import { uuidIn, type Found, type Sought } from '@posthorn/system'

interface MessageFound {
  readonly id: string
  readonly channel: string
  readonly to_recipient: string
  readonly status: string
  readonly dossier_id: string | null
}

/** Outbound messages by their id, the provider's, their recipient or their dossier. */
export async function searchMessages(db: Queryable, sought: Sought): Promise<Found[]> {
  const { org, text, limit } = sought
  const { rows } = await db.query<MessageFound>(sql`
    select id, channel, to_recipient, status, dossier_id
      from messages.outbound_message
     where org_id = ${org}
       and (id = ${uuidIn(text)}::uuid or to_recipient = ${text} or dossier_id = ${text}
            or provider_message_id = ${text})
     order by id desc
     limit ${limit}`)
  return rows.map(({ id, channel, to_recipient: to, status, dossier_id: dossier }) => ({
    kind: 'outbound message',
    id,
    title: `${channel} to ${to}`,
    detail: `${status}${dossier === null ? '' : `, dossier ${dossier}`}`,
    to: `/outbound?open=${id}`,
  }))
}
