import { sql, type Queryable } from '@posthorn/engine'
import { uuidsIn, type Followed, type Stop } from '@posthorn/system'

interface FileRow {
  readonly id: string
  readonly file_job_id: string
  readonly filename: string
  readonly row_number: number
  readonly case_id: string
  readonly status: string
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
    kind: 'file row',
    id: row.id,
    title: `Row ${row.row_number} of ${row.filename}`,
    detail: `${row.status}, case ${row.case_id}`,
    to: `/file-jobs/${row.file_job_id}?open=${row.id}`,
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
