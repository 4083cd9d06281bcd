import { useQuery } from '@tanstack/react-query'
import { QueryState } from '../../parts/query-state.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { sim, type Fault } from './sim-client.ts'

const WORDS: Readonly<Record<Fault['mode'], string>> = {
  ok: 'answers normally',
  error: 'answers with an error',
  timeout: 'never answers',
  drop: 'closes the connection',
  slow: 'answers late',
}

export function useFault(name: string) {
  return useQuery({
    queryKey: ['sim', name, 'fault'],
    queryFn: ({ signal }) => sim.fault(name, signal),
    refetchInterval: 5_000,
  })
}

/** Whether a simulator works or fails on purpose. */
export function FaultState({ name }: { name: string }) {
  return (
    <QueryState query={useFault(name)}>
      {(fault) => (
        <StateBadge state={sentenceOf(fault)} role={fault.mode === 'ok' ? 'confirmed' : 'retry'} />
      )}
    </QueryState>
  )
}

function sentenceOf({ mode, status, after = 0, times, effect }: Fault): string {
  if (mode === 'ok') return WORDS.ok
  return [
    WORDS[mode],
    ...(mode === 'error' && status !== undefined ? [String(status)] : []),
    ...(effect ? ['after doing the work'] : []),
    ...(after > 0 ? [`after ${after} more`] : []),
    ...(times == null ? [] : [`${times} times`]),
  ].join(', ')
}
