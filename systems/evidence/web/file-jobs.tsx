import { Button, Group, Stack } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import {
  type Column,
  column,
  dataOf,
  Empty,
  FileDrop,
  FilteredTable,
  formatCount,
  PageFrame,
  Permitted,
  StackedBar,
  StateBadge,
  useAction,
  useApi,
  useFilteredList,
  useFresh,
  useSettings,
  useUpload,
  field,
  said,
} from '@posthorn/dashboard/kit'
import { type Job, roleOfJob, JOB_STATES, partsOf } from './job.ts'
import { sampleZip } from './sample-zip.ts'

const FILTER = { status: field.choice('State', JOB_STATES) }

const COLUMNS: readonly Column<Job>[] = [
  column.text('filename', 'File', { width: 'minmax(80px, 1.4fr)' }),
  {
    id: 'status',
    title: 'State',
    sortBy: ({ status }) => status,
    width: '116px',
    cell: (job) => (
      <StateBadge
        state={job.cancelledAt === null ? job.status : `${job.status}, cancelled`}
        role={roleOfJob(job)}
      />
    ),
  },
  {
    id: 'rows',
    title: 'Rows',
    width: 'minmax(0, 1.6fr)',
    cell: (job) =>
      job.status === 'REJECTED' ? (
        <span title={job.reasonDetail ?? undefined}>{job.reasonDetail ?? job.reason}</span>
      ) : (
        <StackedBar label={`Rows of ${job.filename}`} parts={partsOf(job)} legend="none" />
      ),
  },
  column.time('createdAt', 'Uploaded', { id: 'at', width: '120px' }),
  {
    id: 'total',
    title: 'Total',
    sortBy: ({ totalRows, expectedRows }) => totalRows ?? expectedRows,
    width: '80px',
    align: 'right',
    cell: ({ totalRows, expectedRows }) => countOrDash(totalRows ?? expectedRows),
  },
  {
    id: 'errors',
    title: 'Errors',
    sortBy: ({ counts }) => counts['ERROR'] ?? 0,
    width: '80px',
    align: 'right',
    cell: ({ counts }) => countOrDash(counts['ERROR'] ?? 0),
  },
]

export function FileJobs() {
  const api = useApi()
  const navigate = useNavigate()
  const page = useFilteredList({
    queryKey: ['file-jobs', 'list'],
    fields: FILTER,
    columns: COLUMNS,
    name: 'file-jobs',
    sorts: { at: 'createdAt' },
    read: (query, signal) => dataOf(api.GET('/api/v1/file-jobs', { params: { query }, signal })),
  })
  useFresh(['file-jobs', 'list'], said('evidence.job'))
  return (
    <PageFrame
      title="File jobs"
      lead="Each ZIP is checked as a whole; then every row of its CSV is attached to its case, and retried if that fails."
    >
      <UploadZip />
      <FilteredTable
        {...page}
        label="File jobs"
        onOpen={({ id }) => void navigate({ to: '/file-jobs/$id', params: { id } })}
        empty={<Empty title="No files yet">Drop a ZIP above; its rows will be counted here.</Empty>}
      />
    </PageFrame>
  )
}

function countOrDash(count: number | null): string {
  return count === null ? '–' : formatCount(count)
}

function UploadZip() {
  const navigate = useNavigate()
  const { production } = useSettings()
  const { progress, send } = useUpload()
  const upload = useAction({
    run: async (file: File) => {
      const path = `/api/v1/file-jobs?filename=${encodeURIComponent(file.name)}`
      return (await send(path, file, 'application/zip')) as {
        fileJobId: string
        warnings: string[]
      }
    },
    done: ({ warnings }, { name }) =>
      [`${name} uploaded; processing has started.`, ...warnings].join(' '),
    changes: ['file-jobs'],
  })
  const take = (file: File) =>
    upload.mutate(file, {
      onSuccess: ({ fileJobId: id }) => void navigate({ to: '/file-jobs/$id', params: { id } }),
    })
  return (
    <Permitted to="write">
      <Stack gap="xs">
        <FileDrop
          label="Drop a ZIP here, or choose one"
          hint="One CSV with the columns case_id and evidence_files, and the PDF, JPEG, PNG or TIFF files it names"
          accept=".zip,application/zip"
          onFile={take}
          progress={progress}
        />
        {!production && (
          <Group gap="xs">
            <Button variant="default" loading={upload.isPending} onClick={() => take(sampleZip())}>
              Try with a sample
            </Button>
          </Group>
        )}
      </Stack>
    </Permitted>
  )
}
