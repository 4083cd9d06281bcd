import { dataOf, type ItemOf, useApi } from '../../api/client.tsx'
import { field } from '../../parts/act/filter-bar.tsx'
import { ButtonLink } from '../../parts/layout/links.tsx'
import { Empty } from '../../parts/layout/notice.tsx'
import { PageFrame } from '../../parts/layout/page-frame.tsx'
import { CopyId } from '../../parts/show/copy-id.tsx'
import { Json } from '../../parts/show/json.tsx'
import { KeyValue } from '../../parts/show/stat.tsx'
import { Time, timeFact } from '../../parts/show/time.tsx'
import { column } from '../../parts/table/columns.tsx'
import type { Column } from '../../parts/table/data-table.tsx'
import { FilteredTable, useFilteredList } from '../../parts/table/list-page.tsx'

type Entry = ItemOf<'/api/v1/audit/entries'>

const FILTER = {
  entityId: field.text('Id'),
  entityType: field.text('About'),
  actor: field.text('Actor'),
  action: field.text('Action'),
  since: field.moment('After'),
  until: field.moment('Before'),
}

const COLUMNS: readonly Column<Entry>[] = [
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
    fields: FILTER,
    columns: COLUMNS,
    read: (query, signal) =>
      dataOf(api.GET('/api/v1/audit/entries', { params: { query }, signal })),
  })
  return (
    <PageFrame
      title="Who did what"
      lead="What people did in the systems of your organisation."
      actions={
        <ButtonLink variant="default" to="/audit">
          Messages and operators
        </ButtonLink>
      }
    >
      <FilteredTable
        {...page}
        label="Who did what"
        empty={
          <Empty title="No entries yet">Every change that somebody makes is listed here.</Empty>
        }
        drawer="Audit entry"
        details={(_, shown) =>
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
