import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import type { paths } from '../../api/schema.d.ts'
import { FilterMoment, FilterText, moment, text } from '../../parts/act/filter-bar.tsx'
import { DetailDrawer } from '../../parts/layout/detail-drawer.tsx'
import { ButtonLink } from '../../parts/layout/links.tsx'
import { Empty } from '../../parts/layout/notice.tsx'
import { PageFrame } from '../../parts/layout/page-frame.tsx'
import { neighboursOf, useOpened } from '../../parts/layout/use-opened.ts'
import { CopyId } from '../../parts/show/copy-id.tsx'
import { Json } from '../../parts/show/json.tsx'
import { KeyValue } from '../../parts/show/stat.tsx'
import { Time } from '../../parts/show/time.tsx'
import type { Column } from '../../parts/table/data-table.tsx'
import { FilteredTable, useFilteredList } from '../../parts/table/filtered-table.tsx'
import { useTable } from '../../parts/table/layout.ts'

type Entry =
  paths['/api/v1/audit/entries']['get']['responses']['200']['content']['application/json']['items'][number]

const FILTER = {
  entityId: text,
  entityType: text,
  actor: text,
  action: text,
  since: moment,
  until: moment,
}

const COLUMNS: readonly Column<Entry>[] = [
  {
    id: 'at',
    title: 'Time',
    sortBy: ({ at }) => at,
    width: '130px',
    cell: ({ at }) => <Time at={at} />,
  },
  {
    id: 'action',
    title: 'Action',
    sortBy: ({ action }) => action,
    width: 'minmax(0, 1.6fr)',
    cell: ({ action }) => action,
  },
  {
    id: 'entity',
    title: 'About',
    sortBy: ({ entityType }) => entityType,
    narrow: 'hidden',
    cell: ({ entityType }) => entityType,
  },
  { id: 'entityId', title: 'Id', width: 'minmax(0, 2fr)', cell: ({ entityId }) => entityId },
  { id: 'actor', title: 'Actor', sortBy: ({ actor }) => actor, cell: ({ actor }) => actor },
]

/** Who did what in the systems, for every user of the organisation. */
export function AuditEntries() {
  const api = useApi()
  const opened = useOpened()
  const { filter, list } = useFilteredList({
    queryKey: ['audit', 'entries'],
    fields: FILTER,
    read: (query, signal) =>
      dataOf(api.GET('/api/v1/audit/entries', { params: { query }, signal })),
  })
  const table = useTable({ name: 'audit-entries', list, columns: COLUMNS })
  const shown = list.rows.find(({ id }) => id === opened.id)
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
        filter={filter}
        label="Who did what"
        {...table}
        idOf={({ id }) => id}
        onOpen={({ id }) => opened.open(id)}
        opened={opened.id}
        empty={
          <Empty title="No entries yet">Every change that somebody makes is listed here.</Empty>
        }
      >
        <FilterText filter={filter} name="entityId" label="Id" />
        <FilterText filter={filter} name="entityType" label="About" />
        <FilterText filter={filter} name="actor" label="Actor" />
        <FilterText filter={filter} name="action" label="Action" />
        <FilterMoment filter={filter} name="since" label="After" />
        <FilterMoment filter={filter} name="until" label="Before" />
      </FilteredTable>
      <DetailDrawer
        isOpen={shown !== undefined}
        onClose={opened.close}
        title="Audit entry"
        neighbours={neighboursOf(table.list.rows, ({ id }) => id, opened)}
      >
        {shown !== undefined && (
          <>
            <KeyValue
              facts={{
                Action: shown.action,
                Time: <Time at={shown.at} />,
                'Business time':
                  shown.businessAt === null ? undefined : (
                    <Time at={shown.businessAt} clock="business" />
                  ),
                Actor: shown.actor,
                About: shown.entityType,
                Id: <CopyId id={shown.entityId} />,
              }}
            />
            <Json value={shown.details} label="details" />
          </>
        )}
      </DetailDrawer>
    </PageFrame>
  )
}
