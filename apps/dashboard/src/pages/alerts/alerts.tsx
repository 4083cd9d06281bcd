import { Group, Stack, Text } from '@mantine/core'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import type { paths } from '../../api/schema.d.ts'
import { CodeNote } from '../../codes/code-note.tsx'
import { useFresh } from '../../live/use-fresh.ts'
import { eachText, outcomeOf, runEach } from '../../parts/act/bulk-button.tsx'
import { FilterSelect, FilterText, oneOf, text } from '../../parts/act/filter-bar.tsx'
import { PermittedButton } from '../../parts/act/permitted.tsx'
import { useAction } from '../../parts/act/use-action.ts'
import { DetailDrawer } from '../../parts/layout/detail-drawer.tsx'
import { AnchorLink } from '../../parts/layout/links.tsx'
import { Empty } from '../../parts/layout/notice.tsx'
import { SectionFrame } from '../../parts/layout/page-frame.tsx'
import { SavedViews } from '../../parts/layout/saved-views.tsx'
import { neighboursOf, useOpened } from '../../parts/layout/use-opened.ts'
import { CopyId, withShortIds } from '../../parts/show/copy-id.tsx'
import { KeyValue } from '../../parts/show/stat.tsx'
import { StateBadge } from '../../parts/show/state-badge.tsx'
import { Time } from '../../parts/show/time.tsx'
import type { Column } from '../../parts/table/data-table.tsx'
import { FilteredTable, useFilteredList } from '../../parts/table/filtered-table.tsx'
import { useTable } from '../../parts/table/layout.ts'
import { useSelection } from '../../parts/table/list.ts'
import type { StateRole } from '../../states/role.ts'
import { firstOf, useContents, type Web } from '../../systems.tsx'

type Alert =
  paths['/api/v1/alerts']['get']['responses']['200']['content']['application/json']['items'][number]

const ALERT_STATES = ['open', 'acknowledged', 'recovered'] as const

/** Alerts look like the states of messages that call for the same. */
const ALERT_ROLES: Readonly<Record<Alert['status'], StateRole>> = {
  open: 'dead',
  acknowledged: 'retry',
  recovered: 'confirmed',
}

/** Where the thing is that an alert speaks of; undefined where there is no page of it. */
function placeOf(alert: Alert, webs: readonly Web[]): string | undefined {
  const { source, subject } = alert
  // A consumer's dead letters: topic and group are the source, and no outbox has a slash.
  if (source.includes('/')) return `/consumers?open=${encodeURIComponent(subject)}`
  const page = firstOf(webs, ({ alertPage }) => alertPage?.(alert))
  if (page !== undefined) return page
  // An outbox is the source of alerts of its messages, and their id is the subject.
  if (source.includes('.')) {
    return `/messages?outbox=${encodeURIComponent(source)}&open=${encodeURIComponent(`${source}:${subject}`)}`
  }
  return undefined
}

const FILTER = { source: text, code: text, status: oneOf(ALERT_STATES), tenant: text }

const COLUMNS: readonly Column<Alert>[] = [
  {
    id: 'status',
    title: 'State',
    sortBy: ({ status }) => status,
    width: '140px',
    cell: ({ status }) => <StateBadge state={status} role={ALERT_ROLES[status]} />,
  },
  {
    id: 'code',
    title: 'Code',
    sortBy: ({ code }) => code,
    width: 'minmax(120px, 1fr)',
    cell: ({ code }) => code,
  },
  {
    id: 'source',
    title: 'Source',
    sortBy: ({ source }) => source,
    narrow: 'hidden',
    cell: ({ source }) => source,
  },
  { id: 'detail', title: 'Detail', width: 'minmax(0, 3fr)', cell: ({ detail }) => detail },
  {
    id: 'at',
    title: 'Raised',
    sortBy: ({ raisedAt }) => raisedAt,
    width: '120px',
    cell: ({ raisedAt }) => <Time at={raisedAt} />,
  },
]

/** What a person should look at: open ones first by their filter, everything by clearing it. */
export function Alerts() {
  const api = useApi()
  const opened = useOpened()
  const selection = useSelection()
  const { filter, list } = useFilteredList({
    queryKey: ['alerts', 'list'],
    fields: FILTER,
    name: 'alerts',
    sorts: { at: 'raisedAt' },
    read: (query, signal) => dataOf(api.GET('/api/v1/alerts', { params: { query }, signal })),
  })
  const table = useTable({ name: 'alerts', list, columns: COLUMNS })
  useFresh(['alerts'], ({ kind }) => kind !== 'announcement')
  const acknowledge = useAction({
    run: (ids: readonly string[]) =>
      runEach(ids, (id) =>
        api.POST('/api/v1/alerts/{id}/acknowledge', { params: { path: { id } } }),
      ),
    done: (each) =>
      outcomeOf({
        what: eachText(each, { nouns: ['alert', 'alerts'], past: 'acknowledged' }),
        refused: each.refused.map(({ row, reason }) => ({ name: withShortIds(row), reason })),
      }),
    isGood: ({ refused }) => refused.length === 0,
    changes: ['alerts', 'overview'],
  })
  const chosen = list.rows.filter(({ id, status }) => status === 'open' && selection.has(id))
  const shown = list.rows.find(({ id }) => id === opened.id)
  return (
    <SectionFrame
      lead="Problems that need an operator. An alert closes by itself when its cause is gone."
      actions={
        <PermittedButton
          to="operate"
          disabled={chosen.length === 0}
          loading={acknowledge.isPending}
          onClick={() =>
            acknowledge.mutate(
              chosen.map(({ id }) => id),
              { onSuccess: selection.clear },
            )
          }
        >
          Acknowledge {chosen.length === 0 ? '' : chosen.length}
        </PermittedButton>
      }
    >
      <FilteredTable
        filter={filter}
        label="Alerts"
        {...table}
        idOf={({ id }) => id}
        selection={selection}
        onOpen={({ id }) => opened.open(id)}
        opened={opened.id}
        empty={<Empty title="No alerts">No alert has been raised so far.</Empty>}
      >
        <FilterSelect filter={filter} name="status" label="State" options={ALERT_STATES} />
        <FilterText filter={filter} name="source" label="Source" />
        <FilterText filter={filter} name="code" label="Code" />
        <FilterText filter={filter} name="tenant" label="Organisation" />
        <SavedViews filter={filter} page="alerts" />
      </FilteredTable>
      <DetailDrawer
        isOpen={shown !== undefined}
        onClose={opened.close}
        title="Alert"
        neighbours={neighboursOf(table.list.rows, ({ id }) => id, opened)}
      >
        {shown !== undefined && (
          <>
            <AlertDetails alert={shown} />
            <Group mt="md">
              <PermittedButton
                to="operate"
                disabled={shown.status !== 'open'}
                loading={acknowledge.isPending}
                onClick={() => acknowledge.mutate([shown.id])}
              >
                Acknowledge
              </PermittedButton>
            </Group>
          </>
        )}
      </DetailDrawer>
    </SectionFrame>
  )
}

/** What happened, what it means, and where to look. */
function AlertDetails({ alert }: { alert: Alert }) {
  const place = placeOf(alert, useContents().webs)
  return (
    <Stack gap="sm">
      <Text>{alert.detail}</Text>
      <CodeNote code={alert.code} />
      <KeyValue
        facts={{
          Source: alert.source,
          Subject: <CopyId id={alert.subject} />,
          Organisation: alert.tenant ?? undefined,
          Raised: <Time at={alert.raisedAt} />,
          Acknowledged:
            alert.acknowledgedAt === null ? undefined : (
              <>
                by {alert.acknowledgedBy ?? 'unknown'} <Time at={alert.acknowledgedAt} />
              </>
            ),
          Recovered: alert.recoveredAt === null ? undefined : <Time at={alert.recoveredAt} />,
        }}
      />
      {place !== undefined && <AnchorLink to={place}>Open</AnchorLink>}
    </Stack>
  )
}
