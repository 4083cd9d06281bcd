import { Alert, Code, Group, List, Stack, Text, TextInput } from '@mantine/core'
import {
  ActButton,
  AnchorLink,
  CopyId,
  Form,
  formatBytes,
  countOf,
  formatCount,
  formatDuration,
  formatRate,
  type ItemOf,
  KeyValue,
  PageFrame,
  Panel,
  PermittedButton,
  post,
  put,
  QueryState,
  saved,
  StackedBar,
  Stat,
  StateBadge,
  StatStrip,
  Time,
  timeFact,
  Timeline,
  useAction,
  useDraft,
  useFresh,
  useLink,
  useNow,
  useRead,
  said,
} from '@posthorn/dashboard/kit'
import { IconAlertTriangle, IconBan, IconCircleX } from '@tabler/icons-react'
import { useParams } from '@tanstack/react-router'
import { JobRows } from './job-rows.tsx'
import { adviceForFile, type Job, partsOf, roleOfJob, sentenceOfJob } from './job.ts'
import type { ReactNode } from 'react'

/** One file: its progress, why it was rejected, its rows, and the merchant's notifications. */
export function FileJob() {
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const query = useRead('/api/v1/file-jobs/{id}', ['file-jobs', id, 'shown'], {
    params: { path: { id } },
  })
  useFresh(['file-jobs', id], said('evidence.job', id))
  const { business } = useNow()
  return (
    <QueryState query={query}>
      {(job) => {
        const errors = job.counts['ERROR'] ?? 0
        return (
          <PageFrame
            title={job.filename}
            lead={sentenceOfJob(job, business)}
            actions={
              <>
                {errors > 0 && <ErrorsCsv id={id} />}
                {errors > 0 && job.cancelledAt === null && <RetryErrors id={id} errors={errors} />}
                {isOpen(job) && <CancelJob id={id} />}
              </>
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

/** Why a file was rejected or cancelled, and its warnings. */
function JobNotices({ job }: { job: Job }) {
  const { status, reason, reasonDetail, warnings, cancelledAt } = job
  if (status !== 'REJECTED' && warnings.length === 0 && cancelledAt === null) return null
  return (
    <Stack gap="xs">
      {cancelledAt !== null && (
        <Alert color="gray" icon={<IconBan size={18} aria-hidden />} title="Cancelled">
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            By {job.cancelledBy}, <Time at={cancelledAt} />: {job.cancelReason}
          </Text>
        </Alert>
      )}
      {status === 'REJECTED' && cancelledAt === null && (
        <Alert
          color="red"
          icon={<IconCircleX size={18} aria-hidden />}
          title={reasonDetail ?? 'File rejected'}
        >
          <Text size="sm" component="div">
            {reason !== null && <Code>{reason}</Code>}{' '}
            <strong>{reason !== null && adviceForFile(reason)}</strong> Nothing was sent: fix the
            file and upload it again.
          </Text>
        </Alert>
      )}
      {warnings.length > 0 && (
        <Alert
          variant="default"
          icon={<IconAlertTriangle size={18} color="var(--tint-orange)" aria-hidden />}
          title={countOf(warnings.length, 'warning')}
        >
          <List size="sm">
            {warnings.map((warning) => (
              <List.Item key={warning} style={{ overflowWrap: 'anywhere' }}>
                {warning}
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
    </Stack>
  )
}

/** Rows by state, their rate and the time left. */
function JobProgress({ job }: { job: Job }) {
  const { status, counts, expectedRows, totalRows } = job
  const errors = counts['ERROR'] ?? 0
  const waiting = counts['FAILED'] ?? 0
  const inAll = totalRows ?? expectedRows
  return (
    <Panel title="Progress" actions={<StateBadge state={status} role={roleOfJob(job)} />}>
      {status !== 'REJECTED' && (
        <>
          <StatStrip>
            <Stat label="Rows" value={inAll === null ? '–' : formatCount(inAll)} />
            <Stat label="Attached" value={formatCount(counts['SUCCESS'] ?? 0)} />
            <Stat
              label="To retry"
              value={formatCount(waiting)}
              tone={waiting > 0 ? 'warning' : 'normal'}
            />
            <Stat label="Errors" value={formatCount(errors)} tone={errors > 0 ? 'bad' : 'normal'} />
            {status !== 'COMPLETED' && (
              <>
                <Stat label="Rate" value={formatRate(job.perSecond)} />
                <Stat
                  label="Time left"
                  value={timeLeft(job)}
                  hint={waiting > 0 ? 'without retries' : undefined}
                />
              </>
            )}
          </StatStrip>
          <div style={{ margin: '14px 0' }}>
            <StackedBar label="Rows" parts={partsOf(job)} />
          </div>
        </>
      )}
      <KeyValue
        facts={{
          Id: <CopyId id={job.id} />,
          Size: formatBytes(job.sizeBytes),
          Uploaded: <Time at={job.createdAt} />,
          Ended: timeFact(job.completedAt),
          Round: job.round > 1 ? `${job.round}, after a retry of its errors` : undefined,
        }}
      />
    </Panel>
  )
}

function timeLeft({ etaSeconds }: Job): string {
  if (etaSeconds === null) return 'unknown'
  return etaSeconds === 0 ? 'none' : formatDuration(etaSeconds * 1_000)
}

function ErrorsCsv({ id }: { id: string }) {
  return (
    <ActButton
      to="read"
      label="Export error CSV"
      run={() => saved(`errors-${id}.csv`, '/api/v1/file-jobs/{id}/errors.csv', { path: { id } })}
      done={() => 'Error CSV saved: correct its lines and upload it in a new ZIP.'}
      changes={[]}
    />
  )
}

function isOpen({ status, cancelledAt }: Job): boolean {
  return cancelledAt === null && (status === 'RECEIVED' || status === 'PROCESSING')
}

/** Stops the rows that are not published yet. */
function CancelJob({ id }: { id: string }) {
  return (
    <ActButton
      label="Cancel file"
      title="Cancel this file?"
      dismiss="Keep it"
      tone="danger"
      reason="required"
      run={(reason = '') =>
        post('/api/v1/file-jobs/{id}/cancel', { path: { id }, body: { reason } })
      }
      done={() => 'Cancelled. Published rows are still finished.'}
      changes={['file-jobs']}
    >
      Rows that are not published stop and end as errors (CANCELLED). Rows that are published are
      attached, or fail, but are not retried. A cancelled file cannot be continued: upload it again.
    </ActButton>
  )
}

function RetryErrors({ id, errors }: { id: string; errors: number }) {
  return (
    <ActButton
      label={`Retry ${countOf(errors, 'error')}`}
      title={`Retry up to ${countOf(errors, 'row')}?`}
      verb={`Retry up to ${formatCount(errors)}`}
      run={() => post('/api/v1/file-jobs/{id}/retry-errors', { path: { id } })}
      done={({ requeued }) =>
        requeued === 0
          ? 'No rows to retry: all of them were invalid in the upload.'
          : `Retrying ${countOf(requeued, 'row')}.`
      }
      changes={['file-jobs']}
    >
      Each row is sent to the document service again with all its attempts. Rows that were invalid
      in the upload (INVALID_ROW, INVALID_FILE) are left out: correct and upload them.
    </ActButton>
  )
}

type Notification = ItemOf<'/api/v1/file-jobs/{id}/notifications'>

const KINDS: Readonly<Record<Notification['kind'], string>> = {
  N1: 'First result',
  N2: 'Final result',
  REJECTED: 'Rejected',
}

export function Notifications({ id }: { id: string }) {
  const queryKey = ['file-jobs', id, 'notifications']
  const query = useRead('/api/v1/file-jobs/{id}/notifications', queryKey, {
    params: { path: { id } },
  })
  // Its own mails, and the webhooks of whichever system delivers them.
  useFresh(queryKey, ({ kind }) => kind === 'transition')
  return (
    <Panel title="Merchant notifications">
      <QueryState query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Text size="sm" c="dimmed">
              None yet. The first result (N1) is sent when every row has had an attempt, the final
              result (N2) at the end.
            </Text>
          ) : (
            <Timeline
              entries={items.map((notification) => ({
                id: notification.id,
                at: notification.createdAt,
                role: notification.kind === 'REJECTED' ? 'dead' : 'sent',
                what: (
                  <>
                    {notification.message}{' '}
                    <Text span c="dimmed" size="sm">
                      {KINDS[notification.kind]}
                      {notification.kind !== 'REJECTED' && ` (${notification.kind})`}
                      {notification.round > 1 && `, round ${notification.round}`}
                    </Text>
                  </>
                ),
                details: <Receipt notification={notification} />,
              }))}
            />
          )
        }
      </QueryState>
      <div style={{ marginTop: 14 }}>
        <MailSettings />
      </div>
    </Panel>
  )
}

const MAIL_WORDS = { PENDING: 'on its way', SENT: 'sent', FAILED: 'not sent' } as const

function DeliveryLink({ id, children }: { id: string; children: ReactNode }) {
  const to = useLink('webhook delivery', id)
  return to === undefined ? (
    <Text size="sm">{children}</Text>
  ) : (
    <AnchorLink to={to} size="sm">
      {children}
    </AnchorLink>
  )
}

/** The deliveries of a notification, by webhook and by mail. */
function Receipt({ notification: { deliveries, mail } }: { notification: Notification }) {
  const endpoints = useLink('webhook endpoints')
  return (
    <Stack gap={2}>
      {deliveries.length === 0 && (
        <Text size="sm" c="dimmed">
          No webhook endpoint subscribed to it.{' '}
          {endpoints !== undefined && <AnchorLink to={endpoints}>Add one</AnchorLink>}
        </Text>
      )}
      {deliveries.map(({ id, status, attempts }) => (
        <Group key={id} gap={6}>
          <DeliveryLink id={id}>Webhook {status.replace('_', ' ')}</DeliveryLink>
          {attempts > 0 && (
            <Text size="sm" c="dimmed">
              after {countOf(attempts, 'failed attempt')}
            </Text>
          )}
        </Group>
      ))}
      {mail !== null && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          Mail to {mail.recipient} {MAIL_WORDS[mail.status]}
          {mail.error !== null && `: ${mail.error}`}
        </Text>
      )}
    </Stack>
  )
}

/** The address that also gets results by mail. */
function MailSettings() {
  const query = useRead('/api/v1/file-jobs/settings', ['file-jobs', 'settings'])
  return (
    <QueryState query={query}>
      {({ notificationEmail }) => (
        <MailForm key={notificationEmail ?? ''} known={notificationEmail ?? ''} />
      )}
    </QueryState>
  )
}

function MailForm({ known }: { known: string }) {
  const { draft, text } = useDraft({ email: known })
  const email = draft.email.trim()
  const save = useAction({
    run: () => {
      const body = { notificationEmail: email === '' ? null : email }
      return put('/api/v1/file-jobs/settings', { body })
    },
    done: ({ notificationEmail: to }) =>
      to === null ? 'Results are no longer mailed.' : `Results of all files are mailed to ${to}.`,
    changes: ['file-jobs'],
  })
  return (
    <Form onSubmit={() => save.mutate()}>
      <Group gap="xs" align="flex-end">
        <TextInput
          type="email"
          label="Mail results to"
          description="For all files of your organisation. Empty: no mail."
          {...text('email')}
          maxLength={254}
          w={{ base: '100%', xs: 320 }}
        />
        <PermittedButton
          to="write"
          type="submit"
          variant="default"
          loading={save.isPending}
          disabled={email === known}
        >
          Save
        </PermittedButton>
      </Group>
    </Form>
  )
}
