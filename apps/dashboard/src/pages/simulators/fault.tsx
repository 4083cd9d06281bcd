import { Button, Checkbox, Group, NumberInput, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Form, useDraft } from '../../parts/act/form.tsx'
import { useAction } from '../../parts/act/action.tsx'
import { QueryState } from '../../parts/layout/notice.tsx'
import { StateBadge } from '../../parts/show/states.tsx'
import { ApiProblem } from '../../api/problem.ts'

/** What a simulator does in each mode. */
const WORDS: Readonly<Record<Fault['mode'], string>> = {
  ok: 'answers normally',
  error: 'answers with an error',
  timeout: 'never answers',
  drop: 'closes the connection',
  slow: 'answers late',
}
const MODES = Object.keys(WORDS) as Fault['mode'][]

/** Tells a simulator to fail, how, and how often. */
export function FaultForm({ name }: { name: string }) {
  const { draft, value, choice, check } = useDraft({
    mode: 'error' as Fault['mode'],
    status: '' as number | string,
    after: '' as number | string,
    times: '' as number | string,
    effect: false,
  })
  const { mode, status, after, times, effect } = draft
  const fail = useAction({
    run: (fault: Fault) => sim.fail(name, fault),
    done: ({ mode: now }) => `${name} ${WORDS[now]}.`,
    changes: ['sim'],
  })
  const submit = () =>
    fail.mutate({
      mode,
      ...(mode === 'error' && typeof status === 'number' && { status }),
      ...(typeof after === 'number' && { after }),
      ...(typeof times === 'number' && { times }),
      ...(effect && { effect }),
    })
  return (
    <Form onSubmit={submit}>
      <Group gap="sm" align="flex-end">
        <Select
          label="Fault"
          data={MODES.map((each) => ({ value: each, label: `${each}: ${WORDS[each]}` }))}
          {...choice('mode')}
          w={250}
        />
        <NumberInput
          label="Status"
          placeholder="500"
          min={400}
          max={599}
          {...value('status')}
          disabled={mode !== 'error'}
          w={90}
        />
        <NumberInput label="Let pass first" placeholder="0" min={0} {...value('after')} w={110} />
        <NumberInput
          label="Times"
          placeholder="until cleared"
          min={1}
          {...value('times')}
          w={120}
        />
        <Checkbox label="Do the work before failing" {...check('effect')} mb={6} />
        <Button type="submit" loading={fail.isPending}>
          Set
        </Button>
        <Button variant="default" onClick={() => fail.mutate({ mode: 'ok' })}>
          Clear
        </Button>
      </Group>
    </Form>
  )
}

/** Whether a simulator works or fails on purpose. */
export function FaultState({ name }: { name: string }) {
  const query = useQuery({
    queryKey: ['sim', name, 'fault'],
    queryFn: ({ signal }) => sim.fault(name, signal),
    refetchInterval: 5_000,
  })
  return (
    <QueryState query={query}>
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

/** One request that a simulator received. */
export interface Arrival {
  readonly id: number
  readonly at: string
  readonly method?: string
  readonly path?: string
  readonly outcome?: string
  /** Of a mail. */
  readonly to?: string | readonly string[]
  readonly subject?: string
}

interface Fault {
  readonly mode: 'ok' | 'error' | 'timeout' | 'drop' | 'slow'
  readonly status?: number
  readonly after?: number
  readonly times?: number | null
  readonly effect?: boolean
}

/** The same small control API for every simulator; it needs no token and is not there in production. */
export const sim = {
  requests: (name: string, signal: AbortSignal) =>
    callSimulator<{ items: Arrival[] }>(`${pathOf(name)}/requests?limit=100`, { signal }),
  fault: (name: string, signal: AbortSignal) =>
    callSimulator<Fault>(`${pathOf(name)}/faults`, { signal }),
  fail: (name: string, fault: Fault) =>
    callSimulator<Fault>(`${pathOf(name)}/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fault),
    }),
  forget: (name: string) => callSimulator<undefined>(pathOf(name), { method: 'DELETE' }),
}

function pathOf(name: string): string {
  return `/sim/${encodeURIComponent(name)}`
}

/** A route of a simulator; `init` as for `fetch`. */
export async function callSimulator<Answer>(path: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(path, { ...init, cache: 'no-store' })
  const text = await response.text()
  const body: unknown = text === '' ? undefined : JSON.parse(text)
  if (!response.ok) throw new ApiProblem(response, body)
  return body as Answer
}
