import { Accordion, Text } from '@mantine/core'
import { formatDuration } from '../../format/number.ts'
import { Panel } from '../../parts/layout/page-frame.tsx'
import { Json } from '../../parts/show/json.tsx'
import { KeyValue } from '../../parts/show/facts.tsx'

/** How an outbox was defined, in words and as it is. */
export function Definition({ definition }: { definition: Readonly<Record<string, unknown>> }) {
  return (
    <Panel title="Definition">
      <KeyValue facts={definitionInWords(definition)} />
      <Accordion mt="sm" variant="contained">
        <Accordion.Item value="data">
          <Accordion.Control>
            <Text size="sm">JSON</Text>
          </Accordion.Control>
          <Accordion.Panel>
            <Json value={definition} label="definition" />
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </Panel>
  )
}

interface Shown {
  readonly table?: string
  readonly log?: string
  readonly batch?: number
  readonly everyMs?: number
  readonly leaseMs?: number
  readonly retry?: { readonly delaysMs?: readonly number[]; readonly attempts?: number }
  readonly order?: { readonly key: string; readonly dead: string }
  readonly fair?: { readonly by: string; readonly atOnce?: number }
  readonly destination?: { readonly transport?: string; readonly topic?: string } | string
  readonly breaker?: object
  readonly counter?: { readonly unreachable?: string }
}

/** What the definition of an outbox means, for first-time users. */
export function definitionInWords(definition: Readonly<Record<string, unknown>>) {
  const shown = definition as Shown
  return {
    Table: shown.table,
    ...(shown.log !== undefined && {
      Log: `${shown.log}; only what fails or waits is moved to the table`,
    }),
    'Goes to': destinationOf(shown),
    Claims: claimsOf(shown),
    Order: orderOf(shown),
    'After a failure': retriesOf(shown),
    'Circuit breaker': shown.breaker
      ? 'pauses a destination after many failures; messages not tried keep their attempts'
      : 'off',
  }
}

function destinationOf({ destination }: Shown): string {
  if (typeof destination !== 'object') return 'a destination that each message names'
  const { transport = 'unknown', topic } = destination
  return topic === undefined ? transport : `${topic} by ${transport}`
}

function claimsOf({ batch, everyMs, leaseMs }: Shown): string | undefined {
  if (batch === undefined || everyMs === undefined || leaseMs === undefined) return undefined
  return (
    `up to ${batch} at once, when woken and every ${formatDuration(everyMs)}; ` +
    `a dead relay loses them after ${formatDuration(leaseMs)}`
  )
}

const TAILS: Readonly<Record<string, string>> = {
  block: 'messages behind a dead message of their key wait for an operator',
  skip: 'messages behind a dead message continue',
  park: 'messages behind a dead message are set aside with it',
}

function orderOf({ order, fair }: Shown): string {
  if (order) return `kept for each ${order.key}; ${TAILS[order.dead] ?? order.dead}`
  if (fair) {
    const bound = fair.atOnce === undefined ? '' : `, ${fair.atOnce} in flight at most`
    return `none; fair share for each ${fair.by}${bound}`
  }
  return 'none: the oldest due first'
}

function retriesOf({ retry }: Shown): string | undefined {
  const waits = retry?.delaysMs?.map((ms) => formatDuration(ms)) ?? []
  if (waits.length === 0) return undefined
  if (retry?.attempts === undefined) return `waits ${waits.join(', ')} and so on; retries forever`
  return `waits ${waits.join(', ')}; dead after ${retry.attempts} attempts`
}
