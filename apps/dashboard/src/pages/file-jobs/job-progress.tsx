import { formatBytes } from '../../format/bytes.ts'
import { formatDuration } from '../../format/duration.ts'
import { formatCount, formatRate } from '../../format/number.ts'
import { CopyId } from '../../parts/copy-id.tsx'
import { KeyValue } from '../../parts/key-value.tsx'
import { Panel } from '../../parts/panel.tsx'
import { StackedBar } from '../../parts/stacked-bar.tsx'
import { Stat, StatStrip } from '../../parts/stat.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { JOB_ROLES, partsOf, type Job } from './job.ts'

/** How far a file is: its rows by state, how fast they go and how long it will take. */
export function JobProgress({ job }: { job: Job }) {
  const { status, counts, expectedRows, totalRows } = job
  const errors = counts['ERROR'] ?? 0
  const waiting = counts['FAILED'] ?? 0
  const inAll = totalRows ?? expectedRows
  return (
    <Panel title="Progress" actions={<StateBadge state={status} role={JOB_ROLES[status]} />}>
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
                <Stat label="Time left" value={timeLeft(job)} hint={hintOf(waiting)} />
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
          Ended: job.completedAt === null ? undefined : <Time at={job.completedAt} />,
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

function hintOf(waiting: number): string | undefined {
  return waiting > 0 ? 'without retries' : undefined
}
