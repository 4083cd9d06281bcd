import { uuid } from '@posthorn/engine'
import {
  plainSecret,
  SEEDED_ID,
  secretWord,
  type Body,
  type ForeignWorld,
  type Operator,
  type SecretServer,
  type ServerTests,
  type Things,
} from '@posthorn/server/testing'
import { expect, vi } from 'vitest'
import { zipOfCases } from './archive.ts'

const SORTED = `
  insert into evidence.file_job (id, org_id, filename, storage_key, storage_etag, size_bytes, created_at)
  select case when n = 1 and org = 'demo' then '${SEEDED_ID}' else id end, org, 'a.zip', id, '', 1,
         now() + n * interval '1 s'
    from n;
  insert into evidence.file_job_tally (file_job_id)
  select id from evidence.file_job on conflict do nothing;
  insert into evidence.file_outbox_row
         (id, file_job_id, org_id, row_number, line_number, case_id, evidence_files)
  select id, '${SEEDED_ID}', org, n, n, 'c', '' from n where org = 'demo';`

const WORLD = `
declare
  job uuid := public.uuid_of(at);
  file_row uuid := public.uuid_of(at);
begin
  insert into evidence.file_job (id, org_id, filename, status, storage_key, storage_etag, size_bytes, created_at, completed_at, staged_at, rows_read, total_rows, success_count)
  values (job, org, note || '.zip', case when over then 'COMPLETED' else 'PROCESSING' end, 'uploads/' || job || '.zip', 'e', 1, at, case when over then at end, at, 1, 1, 1);
  insert into evidence.audit_log (org_id, actor, action, entity_type, entity_id, details, created_at)
  values (org, 'u', 'file_job.received', 'file_job', job::text, jsonb_build_object('filename', note || '.zip'), case when over then at else now() end);
  insert into evidence.file_job_tally (file_job_id, success) values (job, 1);
  insert into evidence.file_job_file (file_job_id, name, storage_key, size_bytes, content_type) values (job, email || '.pdf', 'staging/' || job || '/000000', 1, 'application/pdf');
  insert into evidence.file_outbox_row (id, file_job_id, org_id, row_number, line_number, case_id, evidence_files, metadata, status, error_message, created_at, updated_at)
  values (file_row, job, org, 1, 1, external, email || '.pdf', person, case when over then 'SUCCESS' else 'PENDING' end, note, at, at);
  insert into evidence.file_job_artifact (file_job_id, file_outbox_row_id, position, filename, storage_key, size_bytes, content_type, attachment_status, document_mgmt_id, created_at)
  values (job, file_row, 0, email || '.pdf', 'staging/' || job || '/000000', 1, 'application/pdf', case when over then 'ATTACHED' else 'PENDING' end, case when over then 'doc' end, at);
  insert into evidence.file_outbox_row_audit (file_outbox_row_id, new_status, retry_count, transitioned_by, created_at) values (file_row, 'PUBLISHED', 0, 'PUBLISHER', at);
  things := things || jsonb_build_object('file-job', job);
end;`

async function make({ ask, upload, first }: Operator): Promise<Things> {
  const zip = new Uint8Array(await zipOfCases(['CASE-1']))
  const { fileJobId } = await upload('/api/v1/file-jobs?filename=a.zip', 'application/zip', zip)
  const job = `/api/v1/file-jobs/${String(fileJobId)}`
  const rowId = await first(`${job}/rows`)
  const { body: row } = await ask('GET', `${job}/rows/${rowId}`)
  const [artifact] = row['artifacts'] as Body[]
  return { 'file-jobs': { id: fileJobId, rowId, artifactId: artifact?.['id'] } }
}

async function expectOwnAudit({ ours, theirs, foreign }: ForeignWorld) {
  const search = async (operator: Operator, id: unknown) =>
    (await operator.items(`/api/v1/audit/entries?entityId=${String(id)}`)).map(
      ({ audit, action, actor }) => `${String(audit)} ${String(action)} ${String(actor)}`,
    )
  const { id: jobId, rowId } = foreign['file-jobs'] ?? {}
  expect(await search(theirs, jobId)).toContain(
    'evidence.audit_log file_job.received operator of theirs',
  )
  await vi.waitFor(
    async () =>
      expect(await search(theirs, rowId)).toContain(
        'evidence.file_outbox_row_audit row.published PUBLISHER',
      ),
    { timeout: 60_000 },
  )
  for (const id of [jobId, rowId]) expect(await search(ours, id)).toEqual([])
}

/** Needs the bucket. */
async function provoke({ url, token }: SecretServer): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/zip' }
  const body = new Uint8Array(await zipOfCases(['CASE-1']))
  const uploaded = await fetch(`${url}/api/v1/file-jobs?filename=a.zip`, {
    ...{ method: 'POST', headers, body, signal: AbortSignal.timeout(120_000) },
  })
  return uploaded.text()
}

export const serverTests: ServerTests = {
  access: { signed: /^\w+ \/api\/v1\/file-jobs\/s3-events$/ },
  sorting: { seed: SORTED, lists: ['/api/v1/file-jobs', '/api/v1/file-jobs/{id}/rows'] },
  foreign: {
    make,
    sought: ['file-jobs id', 'file-jobs rowId'],
    bodies: { 'POST file-jobs cancel': { reason: 'wrong file' } },
    also: {
      'the audit of files is searched by the id, each organisation its own': expectOwnAudit,
    },
  },
  secrets: {
    provoke,
    settings: () => ({ DOCUMENTS_TOKEN: plainSecret(), S3_EVENTS_TOKEN: plainSecret() }),
    neighbours() {
      const mail = secretWord()
      return {
        S3_SECRET_ACCESS_KEY: plainSecret(),
        SMTP_URL: { value: `smtp://posthorn:${mail}@127.0.0.1:1`, secret: mail },
      }
    },
    neighbourhood: {
      ...{ S3_ENDPOINT: 'http://127.0.0.1:1', S3_BUCKET: 'none', S3_ACCESS_KEY_ID: 'posthorn' },
    },
    pages: [/file-jobs\/[^/]+\/rows\/[^/]+$/],
  },
  retention: {
    world: WORLD,
    sums: { attached: 'select sum(success_count) from evidence.file_job' },
    async erased(pool) {
      const { rows } = await pool.query('select key from evidence.object_removal')
      expect(rows.length).toBeGreaterThanOrEqual(2)
    },
  },
  journey: {
    links: ['case'],
    kinds: ['file row'],
    says: ['Row 1 of may.zip stored'],
    async write(pool, { org, case: caseId }) {
      const [file, row] = [uuid(), uuid()]
      await pool.query(
        `insert into evidence.file_job (id, org_id, filename, storage_key, storage_etag, size_bytes)
         values ($1::uuid, $2, 'may.zip', $1::text, 'e', 1)`,
        [file, org],
      )
      await pool.query(
        `insert into evidence.file_outbox_row
           (id, file_job_id, org_id, row_number, line_number, case_id, evidence_files)
         values ($1::uuid, $2, $3, 1, 2, $4, 'a.pdf')`,
        [row, file, org, caseId],
      )
      return { row }
    },
  },
  demo: [
    'First notification: Initial Results: 25 success, 3 pending retry, 2 errors.',
    'Second notification: Final Results: 27 success, 3 errors.',
  ],
}
