import { Button, Group, TextInput } from '@mantine/core'
import { useDisclosure, useMediaQuery } from '@mantine/hooks'
import {
  BulkButton,
  type Column,
  dataOf,
  DetailDrawer,
  Empty,
  FilteredTable,
  FilterMoment,
  FilterSelect,
  FilterText,
  formatCount,
  moment,
  MoreFilters,
  neighboursOf,
  oneOf,
  PermittedButton,
  QueryState,
  ROLE_LOOKS,
  SavedViews,
  SectionFrame,
  Stat,
  StateBadge,
  StatStrip,
  text,
  Time,
  useApi,
  useFilteredList,
  useFresh,
  useOpened,
  useSelection,
  useTable,
} from '@posthorn/dashboard/kit'
import { IconSend } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type SubmitEvent, useState } from 'react'
import { Figures } from './figures.tsx'
import { MessageDetails } from './message-details.tsx'
import {
  MESSAGE_ROLES,
  MESSAGE_STATES,
  type OutboundMessage,
  roleOfMessage,
} from './outbound-message.ts'
import { SendForm } from './send-form.tsx'

const FILTER = {
  status: oneOf(MESSAGE_STATES),
  channel: oneOf(['whatsapp', 'email']),
  to: text,
  dossierId: text,
  templateCode: text,
  errorCode: text,
  since: moment,
  until: moment,
}

/** Messages to people: where each is, and why. */
export function Outbound() {
  const api = useApi()
  const opened = useOpened()
  const selection = useSelection()
  const [isSending, sending] = useDisclosure(false)
  const { filter, list } = useFilteredList({
    queryKey: ['outbound', 'list'],
    fields: FILTER,
    name: 'outbound',
    sorts: { at: 'createdAt' },
    read: (query, signal) =>
      dataOf(api.GET('/api/v1/outbound/messages', { params: { query }, signal })),
  })
  const table = useTable({ name: 'outbound', list, columns: COLUMNS })
  useFresh(
    ['outbound'],
    (event) => event.kind === 'transition' && event.outbox === 'messages.outbound',
  )
  const isPhone = useMediaQuery('(max-width: 48em)') ?? false
  return (
    <SectionFrame
      lead="WhatsApp and mail messages: each is sent once, retried where that helps, and followed until delivered."
      actions={
        <PermittedButton
          to="write"
          leftSection={<IconSend size={14} aria-hidden />}
          onClick={sending.open}
        >
          Send a message
        </PermittedButton>
      }
    >
      <Stats />
      {!isPhone && <Figures />}
      <FilteredTable
        filter={filter}
        label="Outbound messages"
        {...table}
        idOf={({ id }) => id}
        selection={selection}
        onOpen={({ id }) => opened.open(id)}
        opened={opened.id}
        empty={
          <Empty
            title="No messages yet"
            action={
              <PermittedButton to="write" variant="default" mt="xs" onClick={sending.open}>
                Send the first message
              </PermittedButton>
            }
          >
            Messages sent by <code>POST /api/v1/outbound/messages</code> or from here are listed.
          </Empty>
        }
      >
        <FilterText filter={filter} name="to" label="To" />
        <FilterSelect filter={filter} name="status" label="State" options={MESSAGE_STATES} />
        <MoreFilters isSet={RARE.some((name) => filter.values[name] !== undefined)}>
          <FilterSelect
            filter={filter}
            name="channel"
            label="Channel"
            options={['whatsapp', 'email']}
          />
          <FilterText filter={filter} name="dossierId" label="Of dossier" />
          <FilterText filter={filter} name="templateCode" label="Template" />
          <FilterText filter={filter} name="errorCode" label="Error code" />
          <FilterMoment filter={filter} name="since" label="Created after" />
          <FilterMoment filter={filter} name="until" label="Created before" />
        </MoreFilters>
        <DossierFinder />
        <SavedViews filter={filter} page="outbound" layout={table.layout} />
        {selection.ids.size > 0 && (
          <BulkActions
            chosen={list.rows.filter(({ id }) => selection.has(id))}
            onDone={selection.clear}
          />
        )}
      </FilteredTable>
      {/* A phone shows what one came for first. */}
      {isPhone && <Figures />}
      <DetailDrawer
        isOpen={opened.id !== undefined}
        onClose={opened.close}
        title="Message"
        neighbours={neighboursOf(table.list.rows, ({ id }) => id, opened)}
      >
        {opened.id !== undefined && <MessageDetails id={opened.id} />}
      </DetailDrawer>
      <SendForm isOpen={isSending} onClose={sending.close} onSent={({ id }) => opened.open(id)} />
    </SectionFrame>
  )
}

/** Fields that are shown when they are wished for, or set. */
const RARE = ['channel', 'dossierId', 'templateCode', 'errorCode', 'since', 'until'] as const

const COLUMNS: readonly Column<OutboundMessage>[] = [
  {
    id: 'status',
    title: 'State',
    sortBy: ({ status }) => status,
    width: '118px',
    cell: (message) => <StateBadge state={message.status} role={roleOfMessage(message)} />,
  },
  {
    id: 'channel',
    title: 'Channel',
    sortBy: ({ channel }) => channel,
    width: '90px',
    narrow: 'hidden',
    cell: (row) => row.channel,
  },
  {
    id: 'to',
    title: 'To',
    sortBy: ({ to }) => to,
    width: 'minmax(110px, 1.2fr)',
    cell: ({ to }) => to,
  },
  {
    id: 'template',
    title: 'Template',
    sortBy: ({ templateCode }) => templateCode,
    narrow: 'hidden',
    cell: (row) => row.templateCode ?? '–',
  },
  {
    id: 'attempts',
    title: 'Attempts',
    sortBy: ({ attemptCount }) => attemptCount,
    width: '84px',
    narrow: 'hidden',
    cell: ({ attemptCount, maxAttempts }) => `${attemptCount} of ${maxAttempts}`,
  },
  {
    id: 'retry',
    title: 'Next attempt',
    width: '110px',
    narrow: 'hidden',
    cell: ({ status, nextRetryAt, sendAt }) => (
      <Time at={nextRetryAt ?? (status === 'QUEUED' ? sendAt : null)} clock="business" ahead />
    ),
  },
  {
    id: 'error',
    title: 'Last error',
    sortBy: ({ errorCode }) => errorCode,
    cell: ({ errorCode }) => errorCode ?? '–',
  },
  {
    id: 'at',
    title: 'Created',
    sortBy: ({ createdAt }) => createdAt,
    width: '108px',
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
]

/** How many messages of the organisation are in which state. */
function Stats() {
  const api = useApi()
  const query = useQuery({
    queryKey: ['outbound', 'stats'],
    queryFn: ({ signal }) => dataOf(api.GET('/api/v1/outbound/messages/stats', { signal })),
  })
  return (
    <QueryState query={query}>
      {({ counts }) => (
        <StatStrip>
          {MESSAGE_STATES.map((state) => (
            <Stat
              key={state}
              label={state}
              value={formatCount(counts[state] ?? 0)}
              hint={ROLE_LOOKS[MESSAGE_ROLES[state]].word}
              tone={state === 'FAILED' && (counts[state] ?? 0) > 0 ? 'bad' : 'normal'}
            />
          ))}
        </StatStrip>
      )}
    </QueryState>
  )
}

/** Goes to a dossier by its id; a new one can be given consent there. */
function DossierFinder() {
  const [id, setId] = useState('')
  const navigate = useNavigate()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (id.trim() === '') return
    void navigate({ to: '/outbound/dossiers/$id', params: { id: id.trim() } } as never)
  }
  return (
    <form onSubmit={submit}>
      <Group gap={6} align="flex-end" wrap="nowrap">
        <TextInput
          label="Dossier"
          placeholder="Dossier id"
          value={id}
          onChange={({ currentTarget }) => setId(currentTarget.value)}
          pattern="[A-Za-z0-9._:\-]{1,100}"
          title="Letters, digits and . _ : -, up to 100"
          w={170}
        />
        <Button type="submit" variant="default">
          Open dossier
        </Button>
      </Group>
    </form>
  )
}

interface BulkActionsProps {
  readonly chosen: readonly OutboundMessage[]
  readonly onDone: () => void
}

const NOUNS = ['message', 'messages'] as const

/** What is done with the selected messages. */
function BulkActions({ chosen, onDone }: BulkActionsProps) {
  const api = useApi()
  const nameOf = ({ to }: OutboundMessage) => to
  const common = { to: 'write', nouns: NOUNS, changes: ['outbound'], nameOf, onDone } as const
  const given = ({ id }: OutboundMessage) => ({ params: { path: { id } } })
  return (
    <>
      <BulkButton
        {...common}
        rows={chosen.filter(({ status }) => status === 'FAILED')}
        verb="Retry"
        past="queued again"
        run={(row) => api.POST('/api/v1/outbound/messages/{id}/retry', given(row))}
      >
        Selected messages that have not failed are left out. One that fails for the same reason
        fails again: mend the cause first.
      </BulkButton>
      <BulkButton
        {...common}
        rows={chosen.filter(({ status }) => status === 'QUEUED')}
        verb="Cancel"
        past="cancelled"
        tone="danger"
        run={(row) => api.POST('/api/v1/outbound/messages/{id}/cancel', given(row))}
      >
        They will not be received. Selected messages that are already sent are left out.
      </BulkButton>
    </>
  )
}
