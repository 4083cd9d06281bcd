import { MantineProvider, Stack } from '@mantine/core'
import '@mantine/core/styles.css'
import { Notifications } from '@mantine/notifications'
import '@mantine/notifications/styles.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import { ApiProvider } from '../../api/api-context.tsx'
import { createApi } from '../../api/client.ts'
import { createQueryClient } from '../../api/query-client.ts'
import { setMinorUnits } from '../../format/money.ts'
import { CopyId } from '../copy-id.tsx'
import { DetailDrawer } from '../detail-drawer.tsx'
import { FileDrop } from '../file-drop.tsx'
import { FilterBar, FilterSelect, FilterText } from '../filter-bar.tsx'
import { Json } from '../json.tsx'
import { KeyValue } from '../key-value.tsx'
import { Money } from '../money.tsx'
import { Empty } from '../notice.tsx'
import { NowProvider } from '../now.tsx'
import { PageFrame } from '../page-frame.tsx'
import { Panel } from '../panel.tsx'
import { Stat, StatStrip } from '../stat.tsx'
import { StateBadge } from '../state-badge.tsx'
import { type Column, DataTable } from '../table/data-table.tsx'
import { useList } from '../table/list.ts'
import { useSelection } from '../table/selection.ts'
import { Actions } from './actions.tsx'
import { readThings, type Thing } from './things.ts'
import { Duration, Time } from '../time.tsx'
import { Timeline } from '../timeline.tsx'
import { oneOf, text, useFilter } from '../use-filter.ts'
import { useOpened } from '../use-opened.ts'
import { parseSearch, stringifySearch } from '../../search-text.ts'
import { ROLE_LOOKS, type StateRole } from '../../states/role.ts'
import { styleNonce, tellStyleNonce } from '../../theme/style-nonce.ts'
import '../../theme/theme.css'
import { cssVariables, theme } from '../../theme/theme.ts'

const ROLES = Object.keys(ROLE_LOOKS) as StateRole[]
setMinorUnits({ EUR: 2 })
const NOON = '2026-11-15T12:00:00.000Z'

const COLUMNS: readonly Column<Thing>[] = [
  { id: 'id', title: 'Id', width: '11rem', cell: ({ id }) => <CopyId id={id} /> },
  {
    id: 'state',
    title: 'State',
    width: '9rem',
    cell: ({ role }) => <StateBadge state={role.toUpperCase()} role={role} />,
  },
  { id: 'name', title: 'Name', narrow: 'hidden', cell: ({ name }) => name },
  {
    id: 'amount',
    title: 'Amount',
    width: '6rem',
    align: 'right',
    cell: ({ minor }) => <Money minor={minor} currency="EUR" />,
  },
]

function Gallery() {
  const filter = useFilter({ search: text, role: oneOf(ROLES) })
  const opened = useOpened()
  const selection = useSelection()
  const list = useList<Thing>({
    queryKey: ['things', filter.values],
    read: (cursor) => readThings(filter.values, cursor),
  })
  return (
    <Stack component="main" p="md">
      <PageFrame title="Parts" lead="Everything that pages are made of." actions={<Actions />}>
        <StatStrip>
          <Stat label="Backlog" value="1,204" hint="12 more than a minute ago" />
          <Stat label="Oldest due" value={<Duration ms={95_000} />} tone="warning" />
          <Stat label="Dead letters" value="7" tone="bad" />
        </StatStrip>
        <FilterBar filter={filter}>
          <FilterText filter={filter} name="search" label="Search" />
          <FilterSelect filter={filter} name="role" label="Role" options={ROLES} />
        </FilterBar>
        <DataTable
          label="Things"
          list={list}
          height="20rem"
          idOf={({ id }) => id}
          onOpen={({ id }) => opened.open(id)}
          opened={opened.id}
          selection={selection}
          empty={<Empty title="No things yet">They come by themselves.</Empty>}
          onClearFilter={filter.isSet ? filter.clear : undefined}
          columns={COLUMNS}
        />
        <Panel title="What happened">
          <Timeline
            entries={[
              { id: '1', at: NOON, what: 'It was created', role: 'ready' },
              { id: '2', at: NOON, what: 'It failed', role: 'failing', details: 'timed out' },
              { id: '3', at: null, what: 'It was sent', role: 'sent' },
            ]}
          />
        </Panel>
        <Json
          label="payload"
          value={{ id: 7, deep: { list: [1, null, '<b>'], more: { x: true } } }}
        />
        <FileDrop
          label="Drop a CSV here, or choose one"
          hint="up to 10 MB"
          accept=".csv"
          onFile={(file) => opened.open(file.name)}
        />
      </PageFrame>
      <DetailDrawer isOpen={opened.id !== undefined} onClose={opened.close} title={opened.id}>
        <KeyValue facts={{ Id: opened.id, Created: <Time at={NOON} />, Nothing: null }} />
      </DetailDrawer>
    </Stack>
  )
}

// There is no server behind it: the user may read, and everything here asks for no more.
const api = createApi({ token: () => undefined, onExpired: () => undefined })
const queryClient = createQueryClient()
queryClient.setQueryData(['me'], { permissions: [{ name: 'read', allowed: true }] })

tellStyleNonce()
const router = createRouter({
  routeTree: createRootRoute({ component: Gallery }),
  parseSearch,
  stringifySearch,
})
const root = document.querySelector('#root')
if (root !== null) {
  createRoot(root).render(
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      <Notifications />
      <QueryClientProvider client={queryClient}>
        <ApiProvider api={api}>
          <NowProvider aheadMs={0}>
            <RouterProvider router={router} />
          </NowProvider>
        </ApiProvider>
      </QueryClientProvider>
    </MantineProvider>,
  )
}
