import { Alert, Button, Modal, Popover, Progress, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import {
  ActButton,
  countOf,
  DataTable,
  formatCount,
  PageFrame,
  PermittedButton,
  post,
  QueryState,
  saved,
  StatStrip,
  Time,
  useAction,
  useFollow,
  useFresh,
  useRead,
  said,
} from '@posthorn/dashboard/kit'
import { IconChevronDown } from '@tabler/icons-react'
import type { UseMutationResult } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Statements } from '../statements/statements.tsx'
import { Balances, RunFigures } from './figures.tsx'
import { FORMAT_WORDS, REASON_LOOKS, REASONS, type Run } from './run.tsx'
import { Records } from './record-lists.tsx'
import { RunTabs } from './run-tabs.tsx'
import { SuggestButton } from './matching.tsx'

type RunStep = 'pairing' | 'storing'

/** A run without announcements for this long has ended. */
const FORGOTTEN_MS = 300_000

/** Which step of a run is in progress, by its announcements; undefined if none is. */
function useRunStep(id: string): RunStep | undefined {
  const [latest, setLatest] = useState<{ readonly step: RunStep }>()
  useFollow(({ events, lookAgain }) => {
    // Its end may have been missed.
    if (lookAgain) setLatest(undefined)
    for (const event of events) {
      if (event.kind !== 'announcement' || event.topic !== 'reconciliation.run' || event.id !== id)
        continue
      const { status, step } = (event.data ?? {}) as { status?: unknown; step?: unknown }
      const isStep = status === 'running' && (step === 'pairing' || step === 'storing')
      setLatest(isStep ? { step } : undefined)
    }
  })
  useEffect(() => {
    if (latest === undefined) return undefined
    const timer = setTimeout(() => setLatest(undefined), FORGOTTEN_MS)
    return () => clearTimeout(timer)
  }, [latest])
  return latest?.step
}

/** Matches the records of a file with payments. */
function useRun(id: string): UseMutationResult {
  return useAction({
    run: () => post('/api/v1/reconciliations/{id}/run', { path: { id }, body: {} }),
    done: ({ matched, total, matchRate }) =>
      `${formatCount(matched)} of ${formatCount(total)} records are matched: ${matchRate}%.`,
    isGood: ({ matched }) => matched > 0,
    changes: ['reconciliation'],
  })
}

export function RunPage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const query = useRead('/api/v1/reconciliations/{id}', ['reconciliation', id, 'shown'], {
    params: { path: { id } },
  })
  useFresh(['reconciliation', id], said('reconciliation.run', id))
  return <QueryState query={query}>{(run) => <Shown run={run} />}</QueryState>
}

function Shown({ run }: { run: Run }) {
  const { id } = run
  const step = useRunStep(id)
  const matching = useRun(id)
  const hasRun = run.runNo > 0
  const isLive = run.discarded === null
  return (
    <PageFrame
      title={run.filename}
      lead={<Lead run={run} />}
      actions={
        <>
          {isLive && <RunButton run={run} matching={matching} />}
          {isLive && <DryRun run={run} />}
          {isLive && hasRun && <SuggestButton id={id} />}
          <ExportMenu id={id} />
          {isLive && <DiscardButton run={run} />}
        </>
      }
    >
      {(matching.isPending || step !== undefined) && <RunProgress step={step ?? 'starting'} />}
      {run.discarded && (
        <Alert color="gray" title={`Discarded by ${run.discarded.by}`}>
          {run.discarded.reason} The file can be uploaded again.
        </Alert>
      )}
      {hasRun ? (
        <>
          <RunFigures run={run} />
          <RunTabs run={run} />
        </>
      ) : (
        <>
          {run.balances && (
            <>
              <StatStrip>
                <Balances balances={run.balances} />
              </StatStrip>
              <Statements id={id} />
            </>
          )}
          <Records id={id} />
        </>
      )}
    </PageFrame>
  )
}

function Lead({ run }: { run: Run }) {
  const { runNo, ranAt, total, duplicates, pending, format, uploadedBy } = run
  const booked = countOf(total, 'record')
  const waiting = pending > 0 ? `, ${formatCount(pending)} more not booked yet` : ''
  const records = `${FORMAT_WORDS[format]} from ${uploadedBy}: ${booked}${waiting}`
  if (runNo === 0) {
    return `${records}, not compared yet: run it to match them with your payments. A dry run stores nothing.`
  }
  return (
    <>
      {records}
      {duplicates > 0 && `, ${formatCount(duplicates)} of them duplicates`}; run {runNo} was{' '}
      <Time at={ranAt} clock="business" />.
    </>
  )
}

/** Discards a file; the reason is recorded. */
function DiscardButton({ run: { id, filename, matched } }: { run: Run }) {
  return (
    <ActButton
      label="Discard"
      title={`Discard ${filename}?`}
      tone="danger"
      reason="required"
      run={(reason = '') =>
        post('/api/v1/reconciliations/{id}/discard', { path: { id }, body: { reason } })
      }
      done={() => `${filename} is discarded: it can be uploaded again.`}
      changes={['reconciliation']}
    >
      {matched === 0
        ? 'Its records can no longer be matched.'
        : `Its ${countOf(matched, 'match is', 'matches are')} undone, and the payments are free again.`}{' '}
      The same file can then be uploaded again, with another profile.
    </ActButton>
  )
}

const STEPS: Readonly<Record<RunStep | 'starting', { words: string; part: number }>> = {
  starting: { words: 'Queued', part: 10 },
  pairing: { words: 'Pairing records with payments', part: 45 },
  storing: { words: 'Writing results', part: 85 },
}

function RunProgress({ step }: { step: RunStep | 'starting' }) {
  const { words, part } = STEPS[step]
  return (
    <div role="status">
      <Text size="sm" mb={4}>
        {words} …
      </Text>
      <Progress value={part} animated aria-label="Matching" />
    </div>
  )
}

interface RunButtonProps {
  readonly run: Run
  readonly matching: UseMutationResult
}

/** Starts a run; the dialog closes at once, and the page shows the progress. */
function RunButton({ run: { runNo, unmatched }, matching }: RunButtonProps) {
  const records = countOf(unmatched, 'record')
  return (
    <ActButton
      label={runNo === 0 ? 'Run' : 'Run again'}
      title={`Match ${records}?`}
      verb={`Match ${formatCount(unmatched)}`}
      button={{ variant: 'filled', loading: matching.isPending }}
      run={async () => matching.mutate(undefined)}
      done={() => 'Matching has started.'}
      changes={[]}
    >
      They are compared with all available payments. Existing matches and decisions stay, and every
      match can be undone.
    </ActButton>
  )
}

function DryRun({ run }: { run: Run }) {
  const rehearse = useAction({
    run: () =>
      post('/api/v1/reconciliations/{id}/run', { path: { id: run.id }, body: { dryRun: true } }),
    done: () => 'Dry run done; nothing was stored.',
    changes: [],
  })
  const found = rehearse.data
  return (
    <>
      <PermittedButton
        to="write"
        variant="default"
        loading={rehearse.isPending}
        onClick={() => rehearse.mutate(undefined)}
      >
        Dry run
      </PermittedButton>
      <Modal opened={found !== undefined} onClose={rehearse.reset} title="Dry run result">
        {found && (
          <>
            <Text size="sm" mb="sm">
              It would match {formatCount(found.matched)} of {formatCount(found.total)} records (
              {found.matchRate}%). Nothing was stored.
            </Text>
            <DataTable
              label="Records by reason"
              list={REASONS.filter((reason) => run.reasons[reason] || found.reasons[reason])}
              idOf={(reason) => reason}
              columns={[
                { id: 'reason', title: 'Reason', cell: (reason) => REASON_LOOKS[reason].word },
                {
                  id: 'now',
                  title: 'Now',
                  align: 'right',
                  cell: (reason) => formatCount(run.reasons[reason] ?? 0),
                },
                {
                  id: 'then',
                  title: 'After a run',
                  align: 'right',
                  isBold: (reason) => (run.reasons[reason] ?? 0) !== (found.reasons[reason] ?? 0),
                  cell: (reason) => formatCount(found.reasons[reason] ?? 0),
                },
              ]}
            />
          </>
        )}
      </Modal>
    </>
  )
}

const KINDS = [
  { kind: 'all', words: 'Everything' },
  { kind: 'matched', words: 'Matched records' },
  { kind: 'unmatched', words: 'Unmatched records' },
  { kind: 'missing', words: 'Missing payments' },
] as const

function ExportMenu({ id }: { id: string }) {
  const [isOpen, { toggle, close }] = useDisclosure(false)
  const save = useAction({
    run: (kind: (typeof KINDS)[number]['kind']) =>
      saved(`reconciliation-${id}-${kind}.csv`, '/api/v1/reconciliations/{id}/export.csv', {
        path: { id },
        query: { kind },
      }),
    done: () => 'Export saved.',
    changes: [],
  })
  return (
    <Popover
      position="bottom-end"
      opened={isOpen}
      onDismiss={close}
      trapFocus
      returnFocus
      withRoles={false}
    >
      <Popover.Target>
        <Button
          variant="default"
          loading={save.isPending}
          aria-expanded={isOpen}
          onClick={toggle}
          rightSection={<IconChevronDown size={14} aria-hidden />}
        >
          Export
        </Button>
      </Popover.Target>
      <Popover.Dropdown p="xs" role="dialog" aria-label="What to export">
        <Stack gap={2}>
          {KINDS.map(({ kind, words }) => (
            <Button
              key={kind}
              variant="subtle"
              color="gray"
              c="inherit"
              justify="flex-start"
              onClick={() => {
                close()
                save.mutate(kind)
              }}
            >
              {words}
            </Button>
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
