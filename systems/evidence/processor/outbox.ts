import { defineOutbox, schedule, type DefinedOutbox, type Transaction } from '@posthorn/engine'
import type { FileJob } from '../jobs/job.ts'

/** What a reader of a file is told: which, and what every write of it must name. */
export interface FileInHand {
  readonly id: string
  readonly token: string
}

type Row = FileJob & { readonly claim_token: string }

/** Up to here a file is small: however many giants come, it has places of its own. */
const SMALL_BYTES = 5_000_000

const defineFiles = (name: string, ready: 'small' | 'large'): DefinedOutbox<Row> =>
  defineOutbox<Row>({
    name,
    table: 'evidence.file_job',
    states: { ready, sent: 'read' },
    columns: { status: 'reading', dueAt: 'not_before', createdAt: 'created_at', tenant: 'org_id' },
    label: ['filename'],
    counter: { column: 'failures', bumps: 'on-failure' },
    // One by one: a merchant's files take turns with those of others.
    claim: { batch: 1, every: '30s', lease: '30s', attempt: '1d' },
    fair: { by: 'org_id' },
    retry: schedule(['1s', '2s', '4s', '8s', '16s', '32s', '1m', '2m', '5m'], {
      then: 'repeat-last',
    }),
    destination: { transport: 'handlers', topic: name },
    message: ({ id, org_id: tenant, claim_token: token, created_at: occurredAt }) => ({
      ...{ id, tenant, occurredAt, type: 'evidence.file' },
      payload: { id, token } satisfies FileInHand,
    }),
    audit: { actor: 'FILE_PROCESSOR' },
  })

/** Files that wait to be read, on the table of jobs. */
export const smallFiles = defineFiles('evidence.files', 'small')
export const largeFiles = defineFiles('evidence.large-files', 'large')

/** How a new job waits. */
export function readingOf(size: number): 'small' | 'large' {
  return size <= SMALL_BYTES ? 'small' : 'large'
}

/** Wakes the readers once the transaction has committed. */
export function ringReaders(tx: Transaction): void {
  tx.ringLater(smallFiles.bell)
  tx.ringLater(largeFiles.bell)
}
