import { type Queryable, sql } from '@posthorn/engine'
import {
  type Followed,
  type Found,
  type Sought,
  type Stop,
  uuidIn,
  uuidsIn,
} from '@posthorn/system'

interface MessageRow {
  readonly id: string
  readonly channel: string
  readonly to_recipient: string
  readonly template_code: string
  readonly status: string
  readonly dossier_id: string | null
  readonly provider_message_id: string | null
  readonly created_at: Date
  readonly updated_at: Date
}

/** What a message is called, and where it is. */
const toThing = ({ id, channel, to_recipient: to }: MessageRow) => ({
  ...{ kind: 'outbound message', id },
  ...{ title: `${channel} to ${to}`, to: `/outbound?open=${id}` },
})

/** Outbound messages by their id, the provider's, their recipient or their dossier. */
export async function searchMessages(db: Queryable, sought: Sought): Promise<Found[]> {
  const { org, text, limit } = sought
  const { rows } = await db.query<MessageRow>(sql`
    select id, channel, to_recipient, status, dossier_id
      from messages.outbound_message
     where org_id = ${org}
       and (id = ${uuidIn(text)}::uuid or to_recipient = ${text} or dossier_id = ${text}
            or provider_message_id = ${text})
     order by id desc
     limit ${limit}`)
  return rows.map((row) => ({
    ...toThing(row),
    detail: `${row.status}${row.dossier_id === null ? '' : `, dossier ${row.dossier_id}`}`,
  }))
}

/** Outbound messages by their id, the provider's or their dossier. */
export async function followMessages(db: Queryable, followed: Followed): Promise<Stop[]> {
  const { org, ids, limit } = followed
  const { rows } = await db.query<MessageRow>(sql`
    with found as (
      select id from messages.outbound_message
       where org_id = ${org} and id = any(${uuidsIn(ids)}::uuid[])
      union
      select id from messages.outbound_message
       where org_id = ${org} and dossier_id = any(${ids}::text[])
      union
      select id from messages.outbound_message
       where org_id = ${org} and provider_message_id = any(${ids}::text[])
    )
    select m.id, m.channel, m.to_recipient, m.template_code, m.status, m.dossier_id,
           m.provider_message_id, m.created_at, m.updated_at
      from found join messages.outbound_message as m on m.id = found.id
     order by m.id desc
     limit ${limit}`)
  return rows.map((row) => ({
    ...{ ...toThing(row), detail: row.status },
    outbox: 'messages.outbound',
    ids: [row.dossier_id, row.provider_message_id],
    events: [
      { at: row.created_at, what: `${row.channel} message to ${row.to_recipient} queued` },
      {
        at: row.status === 'QUEUED' ? null : row.updated_at,
        what: `Message to ${row.to_recipient} is ${row.status}`,
      },
    ],
  }))
}
