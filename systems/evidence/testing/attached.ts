import { expect } from 'vitest'
import type { Running } from './running.ts'

export interface Expected {
  readonly id: string
  readonly org: string
  /** Those that have their evidence. */
  readonly cases: readonly string[]
  /** All rows of the file. */
  readonly rows: number
}

interface Attachment {
  readonly idempotency_key: string
  readonly case_id: string
  readonly document_mgmt_ids: readonly string[]
}

/** Rows, artifacts and notifications are there once, and the document API's own record says the same. */
export async function expectAttachedOnce(
  { db, documents, as }: Pick<Running, 'db' | 'documents' | 'as'>,
  { id, org, cases, rows: count }: Expected,
): Promise<void> {
  const { items } = (await documents('GET', '/attachments')) as { items?: Attachment[] }
  const mine = (items ?? []).filter((each) => cases.includes(each.case_id))
  expect(mine.map((each) => each.case_id).toSorted()).toEqual(cases.toSorted())
  const { rows } = await db.pool.query<{ key: string; documents: string[] }>(
    `select r.id as key, array_agg(a.document_mgmt_id order by a.position) as documents
       from evidence.file_outbox_row as r
       join evidence.file_job_artifact as a on a.file_outbox_row_id = r.id
      where r.file_job_id = $1 and r.status = 'SUCCESS' and a.attachment_status = 'ATTACHED'
      group by r.id`,
    [id],
  )
  const believed = new Map(rows.map((row) => [row.key, row.documents]))
  expect(believed).toEqual(
    new Map(mine.map((each) => [each.idempotency_key, each.document_mgmt_ids])),
  )
  const { rows: numbers } = await db.pool.query(
    `select count(*)::int as rows, min(row_number) as first, max(row_number) as last
       from evidence.file_outbox_row
      where file_job_id = $1`,
    [id],
  )
  expect(numbers).toEqual([{ rows: count, first: 1, last: count }])
  const { body } = await (await as({ org })).get(`/api/v1/file-jobs/${id}/notifications`)
  expect(body.items).toMatchObject([{ kind: 'N2' }, { kind: 'N1' }])
  expect(body.items).toHaveLength(2)
}
