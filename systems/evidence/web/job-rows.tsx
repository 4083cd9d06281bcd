import { ActionIcon, Code, Stack, Text } from '@mantine/core'
import {
  AnchorLink,
  type Column,
  column,
  CopyId,
  dataOf,
  DataTable,
  Empty,
  field,
  FilteredTable,
  formatBytes,
  idFact,
  isOperator,
  Json,
  KeyValue,
  Panel,
  QueryState,
  Related,
  ROLE_LOOKS,
  saved,
  StateBadge,
  type StateRole,
  Time,
  timeFact,
  Timeline,
  useAction,
  useApi,
  useFilteredList,
  useRead,
  useUser,
  Part,
} from '@posthorn/dashboard/kit'
import { IconDownload } from '@tabler/icons-react'
import { adviceForRow, type Row, ROW_ROLES, ROW_STATES, type RowDetails } from './job.ts'

const FILTER = { row: field.choice('State', ROW_STATES), caseId: field.text('Case') }

const COLUMNS: readonly Column<Row>[] = [
  column.text('rowNumber', 'Row', { id: 'number', width: '64px' }),
  {
    id: 'case',
    title: 'Case',
    sortBy: ({ caseId }) => caseId,
    width: 'minmax(80px, 1fr)',
    cell: ({ caseId }) => caseId || '(none)',
  },
  column.state('status', 'State', { roles: ROW_ROLES, width: '122px' }),
  {
    id: 'files',
    title: 'Files',
    narrow: 'hidden',
    cell: ({ evidenceFiles }) => <span title={evidenceFiles}>{evidenceFiles || '(none)'}</span>,
  },
  {
    id: 'error',
    title: 'Error',
    sortBy: ({ errorCode }) => errorCode,
    width: 'minmax(0, 2fr)',
    cell: ({ errorCode, errorMessage }) => (
      <span title={errorMessage ?? undefined}>
        {[errorCode, errorMessage].filter((part) => part !== null).join(': ')}
      </span>
    ),
  },
  {
    id: 'next',
    title: 'Next attempt',
    sortBy: ({ nextRetryAt }) => nextRetryAt,
    width: '110px',
    narrow: 'hidden',
    cell: ({ status, nextRetryAt }) =>
      status === 'FAILED' ? <Time at={nextRetryAt} clock="business" ahead /> : '',
  },
  column.time('updatedAt', 'Changed', { id: 'at', width: '110px' }),
]

/** The rows of a file, in its order or from its end. */
export function JobRows({ id }: { id: string }) {
  const api = useApi()
  const page = useFilteredList({
    queryKey: ['file-jobs', id, 'rows'],
    fields: FILTER,
    columns: COLUMNS,
    name: 'file-rows',
    sorts: { number: 'rowNumber' },
    read: ({ row: status, ...rest }, signal) => {
      const params = { path: { id }, query: { ...rest, ...(status && { status }) } }
      return dataOf(api.GET('/api/v1/file-jobs/{id}/rows', { params, signal }))
    },
  })
  return (
    <Panel title="Rows">
      <Stack gap={12}>
        <FilteredTable
          {...page}
          label="Rows"
          height="60vh"
          empty={
            <Empty title="No rows yet">
              Rows appear when the whole file has been checked and its evidence is staged.
            </Empty>
          }
          drawer="Row"
          renderDetails={(rowId) => <Details jobId={id} rowId={rowId} />}
        />
      </Stack>
    </Panel>
  )
}

function Details({ jobId, rowId }: { jobId: string; rowId: string }) {
  const query = useRead('/api/v1/file-jobs/{id}/rows/{rowId}', ['file-jobs', jobId, 'row', rowId], {
    params: { path: { id: jobId, rowId } },
  })
  return (
    <QueryState query={query}>
      {(row) => (
        <Stack gap="md">
          <RowFacts row={row} />
          <RowError row={row} />
          <Part title="Files">
            <DataTable
              label="Files"
              list={row.artifacts}
              columns={[...ARTIFACT_COLUMNS, downloadColumn(jobId)]}
              idOf={({ id }) => id}
              empty={
                <Text size="sm" c="dimmed">
                  No files staged for this row.
                </Text>
              }
            />
          </Part>
          <Part title="Timeline">
            <Timeline entries={row.audit.map(entryOf)} />
          </Part>
          <Related id={rowId} except={[]} />
          {Object.keys(row.metadata).length > 0 && (
            <Part title="Other columns">
              <Json value={row.metadata} label="other columns" />
            </Part>
          )}
        </Stack>
      )}
    </QueryState>
  )
}

function RowError({ row: { errorCode, errorMessage } }: { row: RowDetails }) {
  if (errorCode === null) return null
  return (
    <Text size="sm" component="div" style={{ overflowWrap: 'anywhere' }}>
      <Code>{errorCode}</Code> {errorMessage} <strong>{adviceForRow(errorCode)}</strong>
    </Text>
  )
}

const WHO: Readonly<Record<string, string>> = {
  FILE_PROCESSOR: 'the file processor',
  PUBLISHER: 'the publisher',
  EVIDENCE_WORKER: 'the evidence worker',
  OPERATOR: 'an operator',
}

function entryOf(audit: RowDetails['audit'][number], index: number) {
  const { oldStatus, newStatus, retryCount, errorCode, transitionedBy, createdAt } = audit
  const state = ROW_STATES.find((each) => each === newStatus)
  const retry = retryCount > 0 ? `, retry ${retryCount}` : ''
  return {
    id: `${index}`,
    at: createdAt,
    role: state && ROW_ROLES[state],
    what: `${oldStatus ?? 'new'} → ${newStatus}`,
    details: `by ${WHO[transitionedBy] ?? transitionedBy}${retry}${errorCode === null ? '' : `: ${errorCode}`}`,
  }
}

const OUTBOX = 'evidence.rows'

function RowFacts({ row }: { row: Row }) {
  const { role } = useUser()
  const { status, kafkaPartition, kafkaOffset, eventId } = row
  return (
    <KeyValue
      facts={{
        State: (
          <>
            <StateBadge state={status} role={ROW_ROLES[status]} />{' '}
            {ROLE_LOOKS[ROW_ROLES[status]].word}
          </>
        ),
        Case: row.caseId === '' ? '(none)' : <CopyId id={row.caseId} what="case" />,
        Position: `row ${row.rowNumber}, line ${row.lineNumber} of the CSV`,
        Retries: row.retryCount,
        'Next due': timeFact(row.nextRetryAt, { clock: 'business', ahead: true }),
        Published: timeFact(row.publishedAt),
        Topic:
          kafkaPartition === null || kafkaOffset === null
            ? undefined
            : `partition ${kafkaPartition}, offset ${kafkaOffset}`,
        Event: idFact(eventId, { what: 'event id' }),
        Id: <CopyId id={row.id} />,
        Message: isOperator(role) ? (
          <AnchorLink to="/messages" search={{ outbox: OUTBOX, open: `${OUTBOX}:${row.id}` }}>
            Open in outbox
          </AnchorLink>
        ) : undefined,
      }}
    />
  )
}

type Artifact = RowDetails['artifacts'][number]

const ROLES: Readonly<Record<Artifact['attachmentStatus'], StateRole>> = {
  PENDING: 'ready',
  ATTACHED: 'confirmed',
  FAILED: 'dead',
}

const ARTIFACT_COLUMNS: readonly Column<Artifact>[] = [
  {
    id: 'file',
    title: 'File',
    width: 'minmax(90px, 2fr)',
    cell: ({ filename, contentType }) => <span title={contentType}>{filename}</span>,
  },
  { id: 'size', title: 'Size', cell: ({ sizeBytes }) => formatBytes(sizeBytes) },
  column.state('attachmentStatus', 'State', { roles: ROLES, width: '112px' }),
  column.copy('documentMgmtId', 'Document', { what: 'document id', shown: 14, narrow: 'hidden' }),
]

const downloadColumn = (jobId: string): Column<Artifact> => ({
  id: 'download',
  title: 'Save',
  width: '40px',
  cell: (file) => <Download jobId={jobId} file={file} />,
})

/** Saves a file of the merchant; it is never shown here. */
function Download({ jobId, file }: { jobId: string; file: Artifact }) {
  const name = file.filename.slice(file.filename.lastIndexOf('/') + 1)
  const save = useAction({
    run: () =>
      saved(name, '/api/v1/file-jobs/{id}/artifacts/{artifactId}/content', {
        path: { id: jobId, artifactId: file.id },
      }),
    done: () => `${name} saved.`,
    changes: [],
  })
  return (
    <ActionIcon
      variant="subtle"
      aria-label={`Download ${name}`}
      loading={save.isPending}
      onClick={() => save.mutate(undefined)}
    >
      <IconDownload size={16} aria-hidden />
    </ActionIcon>
  )
}
