import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconSend } from '@tabler/icons-react'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { useFresh } from '../../live/use-fresh.ts'
import { DetailDrawer } from '../../parts/detail-drawer.tsx'
import { Empty } from '../../parts/empty.tsx'
import { FilterBar, FilterSelect } from '../../parts/filter-bar.tsx'
import { PageFrame } from '../../parts/page-frame.tsx'
import { DataTable } from '../../parts/table/data-table.tsx'
import { useList } from '../../parts/table/list.ts'
import { oneOf, useFilter } from '../../parts/use-filter.ts'
import { useOpened } from '../../parts/use-opened.ts'
import { COLUMNS } from './columns.tsx'
import { DossierFinder } from './dossier-finder.tsx'
import { MessageDetails } from './message-details.tsx'
import { MESSAGE_STATES, type OutboundMessage } from './outbound-message.ts'
import { SendForm } from './send-form.tsx'
import { Stats } from './stats.tsx'

const FILTER = { status: oneOf(MESSAGE_STATES) }

/** Messages to people: where each is, and why. */
export function Outbound() {
  const api = useApi()
  const filter = useFilter(FILTER)
  const opened = useOpened()
  const [isSending, sending] = useDisclosure(false)
  const list = useList<OutboundMessage>({
    queryKey: ['outbound', 'list', filter.values],
    read: (cursor, signal) =>
      dataOf(
        api.GET('/api/v1/outbound/messages', {
          params: { query: { ...filter.values, ...(cursor && { cursor }), limit: 100 } },
          signal,
        }),
      ),
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
      <FilterBar filter={filter}>
        <FilterSelect filter={filter} name="status" label="State" options={MESSAGE_STATES} />
        <DossierFinder />
      </FilterBar>
      <DataTable
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
        onClearFilter={filter.isSet ? filter.clear : undefined}
      />
      <DetailDrawer isOpen={opened.id !== undefined} onClose={opened.close} title="Message">
        {opened.id !== undefined && <MessageDetails id={opened.id} />}
      </DetailDrawer>
      <SendForm isOpen={isSending} onClose={sending.close} onSent={({ id }) => opened.open(id)} />
    </PageFrame>
  )
}
