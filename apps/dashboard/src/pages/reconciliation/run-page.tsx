import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { formatCount } from '../../format/number.ts'
import { useFresh } from '../../live/use-fresh.ts'
import { DetailDrawer } from '../../parts/detail-drawer.tsx'
import { PageFrame } from '../../parts/page-frame.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import { Time } from '../../parts/time.tsx'
import { useOpened } from '../../parts/use-opened.ts'
import { DryRun } from './dry-run.tsx'
import { ExportMenu } from './export-menu.tsx'
import { Records } from './records.tsx'
import { RecordView } from './record-view.tsx'
import type { Run } from './run.ts'
import { RunFigures } from './run-figures.tsx'
import { RunProgress } from './run-progress.tsx'
import { RunTabs } from './run-tabs.tsx'
import { SuggestButton } from './suggest-button.tsx'
import { RunButton } from './run-button.tsx'
import { useRun } from './use-run.ts'
import { useRunStep } from './use-run-step.ts'

/** One file: what a run found, what is open, and what can be decided. */
export function RunPage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const api = useApi()
  const query = useQuery({
    queryKey: ['reconciliation', id, 'shown'],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/reconciliations/{id}', { params: { path: { id } }, signal })),
  })
  useFresh(
    ['reconciliation', id],
    (event) => event.kind === 'news' && event.topic === 'reconciliation.run' && event.id === id,
  )
  return <QueryState query={query}>{(run) => <Shown run={run} />}</QueryState>
}

function Shown({ run }: { run: Run }) {
  const { id } = run
  const opened = useOpened()
  const step = useRunStep(id)
  const matching = useRun(id)
  const hasRun = run.runNo > 0
  return (
    <PageFrame
      title={run.filename}
      lead={<Lead run={run} />}
      actions={
        <>
          <RunButton run={run} matching={matching} />
          <DryRun run={run} />
          {hasRun && <SuggestButton id={id} />}
          <ExportMenu id={id} />
        </>
      }
    >
      {(matching.isPending || step !== undefined) && <RunProgress step={step ?? 'starting'} />}
      {hasRun ? (
        <>
          <RunFigures run={run} />
          <RunTabs run={run} />
        </>
      ) : (
        <Records id={id} />
      )}
      <DetailDrawer
        isOpen={opened.id !== undefined}
        onClose={opened.close}
        title={`Line ${opened.id ?? ''}`}
      >
        {opened.id !== undefined && <RecordView runId={id} recordId={opened.id} />}
      </DetailDrawer>
    </PageFrame>
  )
}

function Lead({ run: { runNo, ranAt, total, duplicates } }: { run: Run }) {
  const records = `${formatCount(total)} ${total === 1 ? 'record' : 'records'}`
  if (runNo === 0) {
    return `${records}, not compared yet: run it to match them with your payments. A dry run stores nothing.`
  }
  return (
    <>
      {records}
      {duplicates > 0 && `, ${formatCount(duplicates)} of them duplicates`}; run {runNo} was{' '}
      <Time at={ranAt} />.
    </>
  )
}
