import { Button } from '@mantine/core'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { DetailDrawer } from '../../parts/detail-drawer.tsx'
import { Empty } from '../../parts/empty.tsx'
import { ButtonLink } from '../../parts/links.tsx'
import { PageFrame } from '../../parts/page-frame.tsx'
import type { Column } from '../../parts/table/column.ts'
import { DataTable } from '../../parts/table/data-table.tsx'
import { useList } from '../../parts/table/list.ts'
import { Time } from '../../parts/time.tsx'
import { useOpened } from '../../parts/use-opened.ts'
import { ProfileForm } from './profile-form.tsx'
import { ProfileView } from './profile-view.tsx'
import type { Profile } from './rules.ts'

const NEW = 'new'

const COLUMNS: readonly Column<Profile>[] = [
  { id: 'name', title: 'Name', cell: ({ name }) => name },
  { id: 'version', title: 'Version', width: '80px', cell: ({ version }) => version },
  {
    id: 'date',
    title: 'Date format',
    width: '130px',
    narrow: 'hidden',
    cell: ({ rules }) => rules.dateFormat,
  },
  {
    id: 'currency',
    title: 'Currency',
    width: '130px',
    narrow: 'hidden',
    cell: ({ rules }) => rules.currency ?? 'in a column',
  },
  {
    id: 'at',
    title: 'Changed',
    width: '120px',
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
  },
]

/** How banks write their files. */
export function Profiles() {
  const api = useApi()
  const opened = useOpened()
  const list = useList<Profile>({
    queryKey: ['reconciliation-profiles', 'list'],
    read: (cursor, signal) =>
      dataOf(
        api.GET('/api/v1/reconciliation-profiles', {
          params: { query: { ...(cursor && { cursor }), limit: 100 } },
          signal,
        }),
      ),
  })
  return (
    <PageFrame
      title="Profiles"
      lead="How each bank’s files are read. Changing the rules creates a new version; files keep theirs."
      actions={
        <>
          <ButtonLink variant="default" to="/reconciliation">
            Back to files
          </ButtonLink>
          <Button onClick={() => opened.open(NEW)}>New profile</Button>
        </>
      }
    >
      <DataTable
        label="Profiles"
        list={list}
        columns={COLUMNS}
        idOf={({ id }) => id}
        onOpen={({ id }) => opened.open(id)}
        opened={opened.id}
        empty={
          <Empty title="No profiles yet">
            Files with the columns external_transaction_id, amount, currency and date need none.
          </Empty>
        }
      />
      <DetailDrawer
        isOpen={opened.id !== undefined}
        onClose={opened.close}
        title={opened.id === NEW ? 'New profile' : 'Profile'}
      >
        {opened.id === NEW && <ProfileForm onDone={opened.close} />}
        {opened.id !== undefined && opened.id !== NEW && (
          <ProfileView id={opened.id} onGone={opened.close} />
        )}
      </DetailDrawer>
    </PageFrame>
  )
}
