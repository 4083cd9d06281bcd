import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { formatCount } from '../../format/number.ts'
import { QueryState } from '../../parts/query-state.tsx'
import { Stat, StatStrip } from '../../parts/stat.tsx'
import { AgingBar } from './aging-bar.tsx'
import { MoneyList } from './money-list.tsx'
import type { Run } from './run.ts'
import { useCounts } from './use-counts.ts'

/** One file in five numbers. */
export function RunFigures({ run: { id, matched, total, matchRate } }: { run: Run }) {
  const api = useApi()
  const totals = useQuery({
    queryKey: ['reconciliation', id, 'totals'],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/reconciliations/{id}/totals', { params: { path: { id } }, signal })),
  })
  const { data: counts } = useCounts(id)
  const open = counts?.tabs['all'] ?? 0
  const stale = counts?.tabs['stale'] ?? 0
  return (
    <QueryState query={totals}>
      {({ currencies }) => (
        <Stack gap="sm">
          <StatStrip>
            <Stat
              label="Reconciled"
              value={`${matchRate}%`}
              hint={`${formatCount(matched)} of ${formatCount(total)} records`}
            />
            <Stat
              label="Money matched"
              value={<MoneyList sums={sumsOf(currencies, ['opening', 'matched'])} />}
            />
            <Stat
              label="Money not matched"
              value={<MoneyList sums={sumsOf(currencies, ['unmatched'])} />}
            />
            <Stat
              label="Open exceptions"
              value={formatCount(open)}
              tone={open > 0 ? 'warning' : 'normal'}
            />
            <Stat
              label="Open for 7 days or more"
              value={formatCount(stale)}
              tone={stale > 0 ? 'bad' : 'normal'}
            />
          </StatStrip>
          {counts && open > 0 && <AgingBar ages={counts.ages} />}
        </Stack>
      )}
    </QueryState>
  )
}

type Part = 'opening' | 'matched' | 'unmatched'

/** Sums may be larger than a number can say. */
function sumsOf(
  currencies: readonly ({ readonly currency: string } & Readonly<Record<Part, string>>)[],
  parts: readonly Part[],
): Record<string, string> {
  return Object.fromEntries(
    currencies.map((each) => [
      each.currency,
      String(parts.reduce((sum, part) => sum + BigInt(each[part]), 0n)),
    ]),
  )
}
