import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconSend } from '@tabler/icons-react'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { useFresh } from '../../live/use-fresh.ts'
import { FilteredTable, useFilteredList } from '../../parts/table/filtered-table.tsx'
import { DetailDrawer } from '../../parts/detail-drawer.tsx'
import { Empty } from '../../parts/empty.tsx'
import { FilterSelect } from '../../parts/filter-bar.tsx'
import { PageFrame } from '../../parts/page-frame.tsx'
import { oneOf } from '../../parts/use-filter.ts'
import { useOpened } from '../../parts/use-opened.ts'
import { COLUMNS } from './columns.tsx'
import { DossierFinder } from './dossier-finder.tsx'
import { MessageDetails } from './message-details.tsx'
import { MESSAGE_STATES } from './outbound-message.ts'
import { SendForm } from './send-form.tsx'
import { Stats } from './stats.tsx'

const FILTER = { status: oneOf(MESSAGE_STATES) }

/** Messages to people: where each is, and why. */
export function Outbound() {
  const api = useApi()
  const opened = useOpened()
  const [isSending, sending] = useDisclosure(false)
  const { filter, list } = useFilteredList({
    queryKey: ['outbound', 'list'],
    fields: FILTER,
    read: (query, signal) =>
      dataOf(api.GET('/api/v1/outbound/messages', { params: { query }, signal })),
  })
  useFresh(
    ['outbound'],
    (event) => event.kind === 'transition' && event.outbox === 'messages.outbound',
  )
  return (
    <PageFrame
      title="Outbound messages"
      lead="WhatsApp and mail messages: each is sent once, retried where that helps, and followed until delivered."
      actions={
        <Button leftSection={<IconSend size={14} aria-hidden />} onClick={sending.open}>
          Send a message
        </Button>
      }
    >
      <Stats />
      <FilteredTable
        filter={filter}
        label="Outbound messages"
        list={list}
        columns={COLUMNS}
        idOf={({ id }) => id}
        onOpen={({ id }) => opened.open(id)}
        opened={opened.id}
        empty={
          <Empty
            title="No messages yet"
            action={
              <Button variant="default" mt="xs" onClick={sending.open}>
                Send the first message
              </Button>
            }
          >
            Messages sent by <code>POST /api/v1/outbound/messages</code> or from here are listed.
          </Empty>
        }
      >
        <FilterSelect filter={filter} name="status" label="State" options={MESSAGE_STATES} />
        <DossierFinder />
      </FilteredTable>
      <DetailDrawer isOpen={opened.id !== undefined} onClose={opened.close} title="Message">
        {opened.id !== undefined && <MessageDetails id={opened.id} />}
      </DetailDrawer>
      <SendForm isOpen={isSending} onClose={sending.close} onSent={({ id }) => opened.open(id)} />
    </PageFrame>
  )
}
