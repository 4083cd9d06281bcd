import { Group, Stack, Text } from '@mantine/core'
import { dataOf, type ItemOf, post, useApi } from '../../api/client.tsx'
import { CodeNote } from '../../codes/code-note.tsx'
import { useFresh } from '../../live/use-fresh.ts'
import { BulkButton } from '../../parts/act/bulk-button.tsx'
import { field } from '../../parts/act/filter-bar.tsx'
import { ActButton } from '../../parts/act/form.tsx'
import { AnchorLink, PageFrame } from '../../parts/layout/page-frame.tsx'
import { Empty } from '../../parts/layout/notice.tsx'
import { SavedViews } from '../../parts/layout/saved-views.tsx'
import { CopyId, KeyValue, Time, timeFact, withShortIds } from '../../parts/show/facts.tsx'
import { type Column, column } from '../../parts/table/columns.tsx'
import { FilteredTable, useFilteredList } from '../../parts/table/list-page.tsx'
import { useSelection } from '../../parts/table/list.ts'
import type { StateRole } from '../../states/role.ts'
import { firstOf, useContents, type Web } from '../../systems.tsx'

type Alert = ItemOf<'/api/v1/alerts'>

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

const FILTER = {
  status: field.choice('State', ['open', 'acknowledged', 'recovered']),
  source: field.text('Source'),
  code: field.text('Code'),
  tenant: field.text('Organisation'),
}

const COLUMNS: readonly Column<Alert>[] = [
  column.state('status', 'State', { roles: ALERT_ROLES, width: '140px' }),
  column.text('code', 'Code', { width: 'minmax(120px, 1fr)' }),
  column.text('source', 'Source', { narrow: 'hidden' }),
  column.text('detail', 'Detail', { order: 'none', width: 'minmax(0, 3fr)' }),
  column.time('raisedAt', 'Raised', { id: 'at', width: '120px' }),
]

const CHANGED = ['alerts', 'overview', 'incidents']

const acknowledge = ({ id }: Alert) => post('/api/v1/alerts/{id}/acknowledge', { path: { id } })

/** What a person should look at: open ones first by their filter, everything by clearing it. */
export function Alerts() {
  const api = useApi()
  const selection = useSelection()
  const page = useFilteredList({
    queryKey: ['alerts', 'list'],
    fields: FILTER,
    columns: COLUMNS,
    name: 'alerts',
    sorts: { at: 'raisedAt' },
    read: (query, signal) => dataOf(api.GET('/api/v1/alerts', { params: { query }, signal })),
  })
  useFresh(['alerts'], ({ kind }) => kind !== 'announcement')
  const chosen = page.list.rows.filter(({ id, status }) => status === 'open' && selection.has(id))
  return (
    <PageFrame
      lead="Problems that need an operator. An alert closes by itself when its cause is gone."
      actions={
        <BulkButton
          to="operate"
          rows={chosen}
          verb="Acknowledge"
          past="acknowledged"
          nouns={['alert', 'alerts']}
          changes={CHANGED}
          nameOf={({ id }) => withShortIds(id)}
          onDone={(left) => selection.replace(left.map(({ id }) => id))}
          run={acknowledge}
        >
          Others see that you have seen them. They close by themselves when their causes are gone.
        </BulkButton>
      }
    >
      <FilteredTable
        {...page}
        label="Alerts"
        selection={selection}
        empty={<Empty title="No alerts">No alert has been raised so far.</Empty>}
        drawer="Alert"
        renderDetails={(_, shown) =>
          shown && (
            <>
              <AlertDetails alert={shown} />
              <Group mt="md">
                <ActButton
                  to="operate"
                  label="Acknowledge"
                  button={{ variant: 'filled', disabled: shown.status !== 'open' }}
                  run={() => acknowledge(shown)}
                  done={() => 'Alert acknowledged.'}
                  changes={CHANGED}
                />
              </Group>
            </>
          )
        }
      >
        <SavedViews filter={page.filter} page="alerts" />
      </FilteredTable>
    </PageFrame>
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
          Recovered: timeFact(alert.recoveredAt),
        }}
      />
      {place !== undefined && <AnchorLink to={place}>Open</AnchorLink>}
    </Stack>
  )
}
