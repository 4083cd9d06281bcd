import { sql, type Queryable } from '@posthorn/engine'
import { uuidIn, type Found, type Sought } from '@posthorn/system'

interface FileFound {
  readonly id: string
  readonly filename: string
  readonly status: string
  /** Null for a file. */
  readonly row_id: string | null
  readonly row_number: number | null
  readonly case_id: string | null
}

/** Files whose rows are looked through for a case, the newest. */
const MOST_FILES = 100

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
  return rows.map(({ id: file, filename, status, row_id: row, row_number: number, case_id: of }) =>
    row === null
      ? { kind: 'file', id: file, title: filename, detail: status, to: `/file-jobs/${file}` }
      : {
          kind: 'file row',
          id: row,
          title: `Row ${number} of ${filename}`,
          detail: `${status}, case ${of}`,
          to: `/file-jobs/${file}?open=${row}`,
        },
  )
}
