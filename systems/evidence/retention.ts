import { type Inbox, pruneInbox } from '@posthorn/engine/inbox'
import type { DataClass, PersonalTable, RetentionCatalogue } from '@posthorn/operate'
import { type Storage, sweepRemovals } from './storage/storage.ts'
import type { Pool } from 'pg'
import { jobExists } from './jobs/queries.ts'

export interface RetentionOptions {
  readonly storage: Storage
  readonly inbox: Inbox
}

/** An upload that is this old has its job, or never will. */
const ORPHAN_MS = 3_600_000

/** When the job of a row was over; null while it is not. */
const JOB_OVER = `(select j.completed_at from evidence.file_job as j
                    where j.id = t.file_job_id and j.status in ('COMPLETED', 'REJECTED'))`
const ORG_OF_JOB = '(select j.org_id from evidence.file_job as j where j.id = t.file_job_id)'

/** The job that an entry of the audit is about. */
const AUDITED = { 'file-job': `case when t.entity_type = 'file_job' then t.entity_id end` }

/** What file jobs keep. */
export function evidenceRetention(options: RetentionOptions): RetentionCatalogue {
  return {
    classes: evidenceClasses(options),
    things: { 'file-job': { table: 'evidence.file_job', id: 'id', org: 'org_id' } },
    personal,
    kept: {
      'evidence.file_job_artifact': 'goes with its row',
      'evidence.file_job_notification': 'goes with its job',
      'evidence.file_job_mail': 'goes with its notification',
      'evidence.org_settings': 'what an organisation has chosen stays as long as it does',
      'evidence.file_job_tally': 'goes with its job',
      'evidence.object_removal': 'goes when the object is gone from the storage',
    },
  }
}

const things = { 'file-job': 't.file_job_id' }
const jobs = {
  ...{ table: 'evidence.file_job', key: ['id'], org: 't.org_id' },
  things: { 'file-job': 't.id' },
}
const rows = { table: 'evidence.file_outbox_row', key: ['id'], org: 't.org_id', things }
const files = {
  ...{ table: 'evidence.file_job_file', key: ['file_job_id', 'name'], org: ORG_OF_JOB, things },
}
const audit = {
  ...{ table: 'evidence.audit_log', key: ['seq'], org: 't.org_id', audit: true as const },
  things: AUDITED,
}

function evidenceClasses({ storage, inbox }: RetentionOptions): DataClass[] {
  return [
    {
      ...{ name: 'evidence.files', keep: '90d', least: '1d', personal: true },
      title: 'Uploaded ZIPs and staged evidence files of ended jobs',
      leaves: 'The job and its rows; failed rows can no longer be retried.',
      rules: [
        {
          ...{ ...jobs, uuid: 'id', dated: 't.completed_at' },
          when: `t.files_removed_at is null and t.status in ('COMPLETED', 'REJECTED')`,
          set: { files_removed_at: 'now()' },
        },
      ],
      prune: ({ pool, signal }) => sweepRemovals({ pool, storage }, signal),
    },
    {
      ...{ name: 'evidence.orphans', keep: '1h', fixed: true, personal: true },
      title: 'Uploads of processes that died before creating a job',
      leaves: 'Nothing.',
      prune: ({ pool, signal }) => sweepOrphans({ pool, storage }, { ageMs: ORPHAN_MS, signal }),
    },
    {
      ...{ name: 'evidence.rows', keep: '365d', least: '7d', personal: true },
      title: 'Rows of file jobs with their artifacts and audit',
      leaves: 'The job with its counts.',
      rules: [
        {
          table: 'evidence.file_outbox_row_audit',
          ...{ key: ['id'], uuid: 'file_outbox_row_id', audit: true },
          dated: `(select j.completed_at from evidence.file_outbox_row as r
                     join evidence.file_job as j on j.id = r.file_job_id
                    where r.id = t.file_outbox_row_id and j.status in ('COMPLETED', 'REJECTED'))`,
          org: `(select r.org_id from evidence.file_outbox_row as r where r.id = t.file_outbox_row_id)`,
          things: {
            'file-job': `(select r.file_job_id from evidence.file_outbox_row as r
                           where r.id = t.file_outbox_row_id)`,
          },
        },
        { ...rows, uuid: 'id', dated: JOB_OVER, when: `t.status in ('SUCCESS', 'ERROR')` },
      ],
    },
    {
      ...{ name: 'evidence.jobs', keep: '1095d', least: '30d', personal: true },
      title: 'File jobs with their counts and notifications',
      leaves: 'Nothing. A job stays as long as one of its rows or files.',
      rules: [
        { ...files, uuid: 'file_job_id', dated: JOB_OVER },
        {
          ...{ ...jobs, uuid: 'id', dated: 't.completed_at' },
          // An object that is still there would be found again, and become a job again.
          when: `t.status in ('COMPLETED', 'REJECTED') and t.files_removed_at is not null
             and not exists (select from evidence.object_removal as o
                              where o.key in (t.storage_key, 'staging/' || t.id || '/'))
             and not exists (select from evidence.file_outbox_row as r where r.file_job_id = t.id)
             and not exists (select from evidence.file_job_file as f where f.file_job_id = t.id)`,
        },
      ],
    },
    {
      ...{ name: 'evidence.audit', keep: '3650d', least: '1825d', personal: true },
      title: 'Audit of files',
      leaves: 'Its seals, and a note of the removal.',
      rules: [{ ...audit, since: 'created_at', dated: 't.created_at' }],
    },
    {
      ...{ name: 'evidence.inbox', fixed: true, personal: false },
      title: 'Ids of handled rows',
      keep: `${inbox.retentionMs}ms`,
      leaves: 'Nothing. Events that are older are refused.',
      maintained: [
        {
          ...{ table: 'evidence.consumer_inbox', key: ['event_id', 'consumer'] },
          ...{ ordered: 'event_id', dated: 't.received_at' },
        },
      ],
      prune: async ({ pool, log }) => (await pruneInbox(pool, inbox, { log })).deleted,
    },
  ]
}

/** Whether a row is a person's: by its case, or since its columns name the person. */
const isOfPerson = (row: string) =>
  `(${row}.case_id = $value or coalesce(${row}.metadata::text ~* $find, false)
    or coalesce(${row}.case_id ~* $find, false))`

const ARTIFACT_OF_PERSON = `exists (select from evidence.file_outbox_row as r
                                     where r.id = t.file_outbox_row_id and ${isOfPerson('r')})`
const JOB_OF_PERSON = `exists (select from evidence.file_outbox_row as r
                                where r.file_job_id = t.id and ${isOfPerson('r')})`
const FILE_OF_PERSON = `exists (select from evidence.file_job_artifact as a
                                 where a.storage_key = t.storage_key and a.removed_at is not null)`
const everyKind = (condition: string) => ({
  ...{ email: condition, phone: condition, externalId: condition },
})
const ROW_BUSY = `exists (select from evidence.file_outbox_row as r
                           where r.id = t.file_outbox_row_id and r.status not in ('SUCCESS', 'ERROR'))`
const JOB_BUSY = `exists (select from evidence.file_job as j
                           where j.id = t.file_job_id and j.status not in ('COMPLETED', 'REJECTED'))`

/** Rows come last: the others are found by them. */
const personal: PersonalTable[] = [
  audit,
  {
    ...{ table: 'evidence.file_job_mail', key: ['id'], org: 't.org_id' },
    busy: `t.status = 'PENDING'`,
  },
  {
    ...{ table: 'evidence.org_settings', key: ['org_id'], org: 't.org_id' },
    columns: { notification_email: { to: 'null' } },
  },
  {
    ...{ table: 'evidence.file_job_artifact', key: ['file_outbox_row_id', 'position'] },
    ...{ org: ORG_OF_JOB, busy: ROW_BUSY, things },
    columns: {
      filename: { to: `'[erased]'` },
      removed_at: { to: 'coalesce(t.removed_at, now())' },
    },
    about: everyKind(ARTIFACT_OF_PERSON),
  },
  {
    ...files,
    columns: { name: { to: `'erased-' || md5(t.name || random())` } },
    about: everyKind(FILE_OF_PERSON),
    busy: JOB_BUSY,
  },
  {
    ...jobs,
    columns: {
      idempotency_key: {
        to: `case when t.idempotency_key ~* $pattern then 'erased-' || t.id else t.idempotency_key end`,
      },
      upload_removed_at: { to: 'coalesce(t.upload_removed_at, now())' },
    },
    about: everyKind(JOB_OF_PERSON),
    busy: `t.status not in ('COMPLETED', 'REJECTED')`,
  },
  {
    ...rows,
    columns: {
      evidence_files: { to: `'[erased]'` },
      metadata: { to: `'{"erased": true}'::jsonb` },
      // Nothing is left that could be tried again.
      error_code: { to: `case when t.status = 'ERROR' then 'INVALID_ROW' else t.error_code end` },
    },
    about: { externalId: 't.case_id = $value' },
    busy: `t.status not in ('SUCCESS', 'ERROR')`,
  },
]

interface OrphanOptions {
  readonly pool: Pool
  readonly storage: Storage
}

/**
 * Removes uploads whose process died between the last byte and the job; returns how many. What is not
 * named as ours is left alone.
 */
export async function sweepOrphans(
  { pool, storage }: OrphanOptions,
  { ageMs, signal }: { ageMs: number; signal: AbortSignal },
): Promise<number> {
  let removed = 0
  for await (const { key, modifiedAt } of storage.list('uploads/')) {
    if (signal.aborted) break
    const jobId = /^uploads\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.zip$/.exec(key)?.[1]
    if (jobId === undefined || Date.now() - modifiedAt.getTime() < ageMs) continue
    if (await jobExists(pool, jobId)) continue
    await storage.remove(key)
    removed += 1
  }
  return removed
}
