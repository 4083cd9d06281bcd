import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { useFresh } from '../../live/use-fresh.ts'
import { PageFrame } from '../../parts/page-frame.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import { ErrorsCsv } from './errors-csv.tsx'
import { sentenceOfJob } from './job.ts'
import { JobNotices } from './job-notices.tsx'
import { JobProgress } from './job-progress.tsx'
import { JobRows } from './job-rows.tsx'
import { Notifications } from './notifications.tsx'
import { RetryErrors } from './retry-errors.tsx'

/** One file: its progress, why it was rejected, its rows, and the merchant's notifications. */
export function FileJob() {
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const api = useApi()
  const query = useQuery({
    queryKey: ['file-jobs', id, 'shown'],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/file-jobs/{id}', { params: { path: { id } }, signal })),
  })
  useFresh(
    ['file-jobs', id],
    (event) => event.kind === 'news' && event.topic === 'evidence.job' && event.id === id,
  )
  return (
    <QueryState query={query}>
      {(job) => {
        const errors = job.counts['ERROR'] ?? 0
        return (
          <PageFrame
            title={job.filename}
            lead={sentenceOfJob(job)}
            actions={
              errors > 0 && (
                <>
                  <ErrorsCsv id={id} />
                  <RetryErrors id={id} errors={errors} />
                </>
              )
            }
          >
            <JobNotices job={job} />
            <JobProgress job={job} />
            <Notifications id={id} />
            {job.status !== 'REJECTED' && <JobRows id={id} />}
          </PageFrame>
        )
      }}
    </QueryState>
  )
}
