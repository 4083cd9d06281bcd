import { Button } from '@mantine/core'
import { dataOf, type ItemOf, useApi } from '../../api/client.tsx'
import { CodeNote } from '../../codes/code-note.tsx'
import { useFresh } from '../../live/use-fresh.ts'
import { saveFile } from '../../parts/act/file-drop.tsx'
import { field, moment, text } from '../../parts/act/filter-bar.tsx'
import { AnchorLink, PageFrame } from '../../parts/layout/page-frame.tsx'
import { Empty } from '../../parts/layout/notice.tsx'
import { SavedViews } from '../../parts/layout/saved-views.tsx'
import { CopyId, KeyValue, Time, timeFact } from '../../parts/show/facts.tsx'
import { type Column, column } from '../../parts/table/columns.tsx'
import { FilteredTable, useFilteredList } from '../../parts/table/list-page.tsx'
import { Json } from '../../parts/show/json.tsx'

const FILTER = {
  search: field.text('Search'),
  kind: field.choice('Kind', ['transition', 'operation']),
  outbox: field.text('Outbox'),
  actor: field.text('Actor'),
  code: field.text('Code'),
  messageId: text,
  tenant: text,
  since: moment,
  until: moment,
}

const COLUMNS: readonly Column<Entry>[] = [
  column.time('at', 'Time', { order: 'none', width: '110px' }),
  column.text('outbox', 'Outbox', { order: 'none', none: '–' }),
  { id: 'what', title: 'Change', width: 'minmax(0, 1.6fr)', cell: whatOf },
  { id: 'why', title: 'Reason', width: 'minmax(0, 2fr)', cell: whyOf },
  column.text('actor', 'Actor', { order: 'none' }),
]

/** What happened to messages, and what people did. */
export function Audit() {
  const api = useApi()
  const page = useFilteredList({
    queryKey: ['audit', 'list'],
    fields: FILTER,
    columns: COLUMNS,
    read: (query, signal) => dataOf(api.GET('/api/v1/audit', { params: { query }, signal })),
  })
  useFresh(['audit'], ({ kind }) => kind !== 'announcement')
  return (
    <PageFrame
      title="Audit"
      lead="Every transition of every message, and every operator action."
      actions={
        <Button
          variant="default"
          disabled={page.list.rows.length === 0}
          onClick={() => saveFile('audit.csv', new Blob([csvOf(page.list.rows)], CSV))}
        >
          Export CSV
        </Button>
      }
    >
      <FilteredTable
        {...page}
        label="Audit"
        idOf={({ kind, id }) => `${kind}-${id}`}
        empty={<Empty title="No entries yet">Send a first message.</Empty>}
        drawer="Audit entry"
        renderDetails={(opened, row) => {
          // Addresses that were kept may have the id alone.
          const shown = row ?? page.list.rows.find(({ id }) => id === opened)
          return shown && <EntryDetails entry={shown} />
        }}
      >
        <SavedViews filter={page.filter} page="audit" />
      </FilteredTable>
    </PageFrame>
  )
}

function EntryDetails({ entry }: { entry: Entry }) {
  const isTransition = entry.kind === 'transition'
  return (
    <>
      <KeyValue
        facts={{
          Change: whatOf(entry),
          Time: <Time at={entry.at} />,
          Actor: entry.actor,
          Outbox: entry.outbox ?? undefined,
          Message: isTransition ? <CopyId id={entry.messageId} /> : undefined,
          Attempt: isTransition ? (entry.attempt ?? undefined) : undefined,
          Organisation: entry.tenant ?? undefined,
          Error: isTransition ? (entry.error ?? undefined) : undefined,
          Reason: entry.reason ?? undefined,
        }}
      />
      {isTransition && entry.code !== null && <CodeNote code={entry.code} />}
      {isTransition && (
        <AnchorLink
          to="/messages"
          search={{ outbox: entry.outbox, open: `${entry.outbox}:${entry.messageId}` }}
        >
          Open message
        </AnchorLink>
      )}
    </>
  )
}

export type Entry = ItemOf<'/api/v1/audit'>

const CSV = { type: 'text/csv;charset=utf-8' }

/** What happened, as a sentence. */
export function whatOf(entry: Entry): string {
  if (entry.kind === 'operation') return `${entry.operation} ${entry.subject}`
  return `${entry.from ?? 'new'} → ${entry.to}`
}

/** Why, as far as it was recorded. */
export function whyOf(entry: Entry): string {
  if (entry.kind === 'operation') return entry.reason ?? ''
  return [entry.code, entry.error ?? entry.reason].filter((part) => part !== null).join(': ')
}

/** Formula-safe CSV. */
export function csvOf(entries: readonly Entry[]): string {
  const rows = entries.map((entry) => [
    entry.at,
    entry.kind,
    entry.outbox ?? '',
    entry.kind === 'transition' ? entry.messageId : entry.subject,
    whatOf(entry),
    whyOf(entry),
    entry.actor,
    entry.tenant ?? '',
  ])
  const heads = ['at', 'kind', 'outbox', 'subject', 'what', 'why', 'by', 'organisation']
  return [heads, ...rows].map((row) => row.map(cellOf).join(',')).join('\r\n')
}

function cellOf(value: string): string {
  const safe = /^[=+\-@\t\r＝＋－＠]/.test(value) ? `'${value}` : value
  return `"${safe.replaceAll('"', '""')}"`
}

type Deed = ItemOf<'/api/v1/audit/entries'>

const DEED_FILTER = {
  entityId: field.text('Id'),
  entityType: field.text('About'),
  actor: field.text('Actor'),
  action: field.text('Action'),
  since: field.moment('After'),
  until: field.moment('Before'),
}

const DEED_COLUMNS: readonly Column<Deed>[] = [
  column.time('at', 'Time', { width: '130px' }),
  column.text('action', 'Action', { width: 'minmax(0, 1.6fr)' }),
  column.text('entityType', 'About', { id: 'entity', narrow: 'hidden' }),
  column.text('entityId', 'Id', { order: 'none', width: 'minmax(0, 2fr)' }),
  column.text('actor', 'Actor'),
]

/** Who did what in the systems, for every user of the organisation. */
export function AuditEntries() {
  const api = useApi()
  const page = useFilteredList({
    queryKey: ['audit', 'entries'],
    fields: DEED_FILTER,
    columns: DEED_COLUMNS,
    read: (query, signal) =>
      dataOf(api.GET('/api/v1/audit/entries', { params: { query }, signal })),
  })
  return (
    <PageFrame title="Who did what" lead="User actions in your organisation, in every system.">
      <FilteredTable
        {...page}
        label="Who did what"
        empty={<Empty title="No entries yet">Every change that a user makes appears here.</Empty>}
        drawer="Audit entry"
        renderDetails={(_, shown) =>
          shown && (
            <>
              <KeyValue
                facts={{
                  Action: shown.action,
                  Time: <Time at={shown.at} />,
                  'Business time': timeFact(shown.businessAt, { clock: 'business' }),
                  Actor: shown.actor,
                  About: shown.entityType,
                  Id: <CopyId id={shown.entityId} />,
                }}
              />
              <Json value={shown.details} label="details" />
            </>
          )
        }
      />
    </PageFrame>
  )
}
