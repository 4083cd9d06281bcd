import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import '../../theme/theme.css'
import { Stack } from '@mantine/core'
import { createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { createApi } from '../../api/client.tsx'
import { createQueryClient } from '../../api/query-client.ts'
import { mountApp } from '../../app.tsx'
import { createSessionKeeper, NOWHERE } from '../../session/session.ts'
import { parseSearch, stringifySearch } from '../../search-text.ts'
import { ROLE_LOOKS, type StateRole } from '../../states/role.ts'
import { ActButton } from '../act/form.tsx'
import { FileDrop } from '../act/file-drop.tsx'
import { field, FilterBar, useFilter } from '../act/filter-bar.tsx'
import { DetailDrawer, useOpened } from '../layout/detail-drawer.tsx'
import { Empty } from '../layout/notice.tsx'
import { PageFrame, Panel } from '../layout/page-frame.tsx'
import { CopyId, Duration, KeyValue, NowProvider, Stat, StatStrip, Time } from '../show/facts.tsx'
import { Json } from '../show/json.tsx'
import { Money } from '../show/money.tsx'
import { StateBadge, Timeline } from '../show/states.tsx'
import type { Column } from '../table/columns.tsx'
import { DataTable } from '../table/data-table.tsx'
import { type ListPage, useList, useSelection } from '../table/list.ts'

const ROLES = Object.keys(ROLE_LOOKS) as StateRole[]
const FILTER = { search: field.text('Search'), role: field.choice('Role', ROLES) }
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
  const filter = useFilter(FILTER)
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
        <FilterBar filter={filter} fields={FILTER} />
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
const api = createApi({ onExpired: () => undefined })
const contents = { pages: [], webs: [] }
const keeper = createSessionKeeper(NOWHERE)
keeper.enter({ sub: 'ada', org: 'demo', role: 'viewer', expiresAt: Date.now() + 3_600_000 })
const queries = createQueryClient()
queries.setQueryData(['me'], { permissions: [{ name: 'read', allowed: true }] })

const router = createRouter({
  routeTree: createRootRoute({ component: Gallery }),
  parseSearch,
  stringifySearch,
})
const children = (
  <NowProvider aheadMs={0}>
    <RouterProvider router={router} />
  </NowProvider>
)
mountApp({ contents, keeper, queries, api, children })

/** Something that works, and something that does not. */
function Actions() {
  return (
    <>
      <ActButton
        to="read"
        label="Replay"
        title="Replay 12 messages?"
        verb="Replay 12"
        reason="required"
        run={async (reason) => reason ?? 'no reason'}
        done={(reason) => `12 messages go again: ${reason}.`}
        changes={['things']}
      >
        They are sent again, each with its attempts back at zero.
      </ActButton>
      <ActButton
        to="read"
        label="Delete"
        title="Delete 1 thing?"
        verb="Delete 1"
        tone="danger"
        run={async () => {
          throw new Error('It changed meanwhile.')
        }}
        done={() => 'never'}
        changes={[]}
      />
    </>
  )
}

interface Thing {
  readonly id: string
  readonly name: string
  readonly role: StateRole
  readonly minor: number
}

const THINGS: readonly Thing[] = Array.from({ length: 100_000 }, (_, i) => ({
  id: `thing-${i}`,
  name: `The ${i}th thing, with a name that is rather long`,
  role: ROLES[i % ROLES.length] ?? 'ready',
  minor: i * 7,
}))

/** The first page is short, the second has all the rest. */
const FIRST = 200

async function readThings(
  { search = '', role }: { readonly search?: string; readonly role?: string },
  cursor: string | undefined,
): Promise<ListPage<Thing>> {
  if (search === 'trouble') throw new Error('There is trouble.')
  const found = THINGS.filter(
    (thing) => thing.id.includes(search) && (role === undefined || thing.role === role),
  )
  if (cursor !== undefined) return { items: found.slice(Number(cursor)), nextCursor: null }
  const isAll = found.length <= FIRST
  return { items: found.slice(0, FIRST), nextCursor: isAll ? null : String(FIRST) }
}
