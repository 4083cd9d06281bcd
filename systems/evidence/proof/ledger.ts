import type { Line } from '../../../proof/kit/ledger.ts'
import { answerLines } from '../../../proof/kit/stand/answers.ts'
import type { Books } from '../../../proof/kit/stand/system-proof.ts'
import { selectCases, selectEvidenceSums, selectJobs } from './queries.ts'

interface Attachments {
  readonly items: readonly { readonly case_id: string }[]
  readonly total: number
}

/** Every row of every file is attached to its case, once. */
export async function evidenceLines({ db, world, answers }: Books): Promise<Line[]> {
  const sums = await selectEvidenceSums(db)
  const { items, total } = await world.read<Attachments>('/documents/attachments')
  const attached = new Map(
    [...Map.groupBy(items, (item) => item.case_id)].map(([id, each]) => [id, each.length]),
  )
  const cases = await selectCases(db)
  const known = new Set(cases.map(({ caseId }) => caseId))
  const done = cases.filter(({ status }) => status === 'SUCCESS')
  return [
    ...answerLines(answers, {
      ...{ name: 'files', path: '/api/v1/file-jobs', things: await selectJobs(db) },
    }),
    { name: 'files', value: sums.jobs, atLeast: 1 },
    { name: 'files without an end', value: sums.open, must: 0 },
    { name: 'files rejected', value: sums.rejected, must: 0 },
    { name: 'rows', value: sums.rows, atLeast: 1 },
    { name: 'rows attached', value: sums.attached, must: sums.rows - sums.failed },
    { name: 'rows given up', value: sums.failed },
    // Of the first attempt and both retries: the store must have failed three times.
    { name: 'rows given up too early', value: sums.early, must: 0 },
    {
      name: 'attached, and not in the store',
      value: done.filter(({ caseId }) => !attached.has(caseId)).length,
      must: 0,
    },
    {
      name: 'in the store twice',
      value: [...attached.values()].filter((times) => times > 1).length,
      must: 0,
    },
    {
      name: 'in the store, and not ours',
      value: items.filter((item) => !known.has(item.case_id)).length,
      must: 0,
      notAfter: 'dump',
    },
    { name: 'in the store', value: total },
    { name: 'files with wrong counters', value: sums.miscounted, must: 0 },
    { name: 'rows their own audit knows otherwise', value: sums.unrecorded, must: 0 },
  ]
}
