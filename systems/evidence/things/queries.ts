import { type Queryable, sql } from '@posthorn/engine'
import {
  type Followed,
  type Found,
  type Sought,
  type Stop,
  uuidIn,
  uuidsIn,
} from '@posthorn/system'

interface RowNamed {
  readonly file_job_id: string
  readonly filename: string
  readonly id: string
  readonly row_number: number | null
  readonly status: string
  readonly case_id: string | null
}

/** What a row is called, and where it is. */
const toThing = (row: RowNamed) => ({
  ...{ kind: 'file row', id: row.id },
  title: `Row ${row.row_number} of ${row.filename}`,
  detail: `${row.status}, case ${row.case_id}`,
  to: `/file-jobs/${row.file_job_id}?open=${row.id}`,
})

interface FileFound {
  readonly id: string
  readonly filename: string
  readonly status: string
  /** Null for a file. */
  readonly row_id: string | null
  readonly row_number: number | null
  readonly case_id: string | null
}

/** Files by their id or name, and rows by their id, their event's or their case. */
export async function searchFiles(db: Queryable, sought: Sought): Promise<Found[]> {
  const { org, text, limit } = sought
  const id = uuidIn(text)
  const { rows } = await db.query<FileFound>(sql`
    with files as (
      select id, filename, status from evidence.file_job
       where org_id = ${org} order by id desc limit ${MOST_FILES}
    )
    (select id, filename, status, null::uuid as row_id, null::int as row_number, null::text as case_id
       from evidence.file_job where org_id = ${org} and id = ${id}::uuid
     union
     select id, filename, status, null, null, null from files where filename = ${text}
     limit ${limit})
    union all
    (select f.id, f.filename, r.status, r.id, r.row_number, r.case_id
       from files as f
      cross join lateral (
        select id, status, row_number, case_id from evidence.file_outbox_row
         where file_job_id = f.id and case_id = ${text} order by row_number limit ${limit}) as r
      limit ${limit})
    union all
    (select f.id, f.filename, r.status, r.id, r.row_number, r.case_id
       from evidence.file_outbox_row as r join evidence.file_job as f on f.id = r.file_job_id
      where r.id = ${id}::uuid and r.org_id = ${org})`)
  return rows.map(({ id: file, row_id: rowId, ...row }) =>
    rowId === null
      ? {
          ...{ kind: 'file', id: file, title: row.filename, detail: row.status },
          to: `/file-jobs/${file}`,
        }
      : toThing({ ...row, id: rowId, file_job_id: file }),
  )
}

interface FileRow extends RowNamed {
  readonly case_id: string
  readonly created_at: Date
  readonly moves: readonly { readonly to: string; readonly by: string; readonly at: string }[]
}

/** Files whose rows are looked through for a case, the newest. */
const MOST_FILES = 100

/** Rows of files by their id, or by their case in the newest files. */
export async function followRows(db: Queryable, followed: Followed): Promise<Stop[]> {
  const { org, ids, limit } = followed
  const { rows } = await db.query<FileRow>(sql`
    with files as (
      select id from evidence.file_job where org_id = ${org} order by id desc limit ${MOST_FILES}
    ), found as (
      select id from evidence.file_outbox_row
       where org_id = ${org} and id = any(${uuidsIn(ids)}::uuid[])
      union
      select r.id from files cross join lateral (
        select id from evidence.file_outbox_row
         where file_job_id = files.id and case_id = any(${ids}::text[])
         order by row_number limit ${limit}) as r
    )
    select r.id, r.file_job_id, j.filename, r.row_number, r.case_id, r.status, r.created_at,
           array(select jsonb_build_object('to', a.new_status, 'by', a.transitioned_by,
                                           'at', a.created_at)
                   from evidence.file_outbox_row_audit as a where a.file_outbox_row_id = r.id
                  order by a.id limit 20) as moves
      from found
      join evidence.file_outbox_row as r on r.id = found.id
      join evidence.file_job as j on j.id = r.file_job_id
     order by r.id desc
     limit ${limit}`)
  return rows.map((row) => ({
    ...toThing(row),
    outbox: 'evidence.rows',
    ids: [row.case_id],
    events: [
      { at: row.created_at, what: `Row ${row.row_number} of ${row.filename} stored` },
      ...row.moves.map(({ to, by, at }) => ({
        at,
        what: `Row ${row.row_number} is ${to}, by ${by}`,
      })),
    ],
  }))
}
