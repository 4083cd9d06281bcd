import { Button, Group, TextInput } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import {
  BulkButton,
  type Column,
  column,
  dataOf,
  Empty,
  FilteredTable,
  Form,
  formatCount,
  post,
  QueryState,
  ROLE_LOOKS,
  SavedViews,
  PageFrame,
  Stat,
  StateBadge,
  StatStrip,
  Time,
  useApi,
  useFilteredList,
  useFresh,
  useOpened,
  useRead,
  useSelection,
  field,
  moved,
} from '@posthorn/dashboard/kit'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Figures } from './figures.tsx'
import { MessageDetails } from './message-details.tsx'
import {
  MESSAGE_ROLES,
  MESSAGE_STATES,
  type OutboundMessage,
  roleOfMessage,
} from './outbound-message.ts'
import { SendButton } from './send-form.tsx'

const FILTER = {
  to: field.text('To'),
  status: field.choice('State', MESSAGE_STATES),
  channel: field.choice('Channel', ['whatsapp', 'email'], { rare: true }),
  dossierId: field.text('Of dossier', { rare: true }),
  templateCode: field.text('Template', { rare: true }),
  errorCode: field.text('Error code', { rare: true }),
  since: field.moment('Created after', { rare: true }),
  until: field.moment('Created before', { rare: true }),
}

export function Outbound() {
  const api = useApi()
  const opened = useOpened()
  const selection = useSelection()
  const page = useFilteredList({
    queryKey: ['outbound', 'list'],
    fields: FILTER,
    columns: COLUMNS,
    name: 'outbound',
    sorts: { at: 'createdAt' },
    read: (query, signal) =>
      dataOf(api.GET('/api/v1/outbound/messages', { params: { query }, signal })),
  })
  useFresh(['outbound'], moved('messages.outbound'))
  const isPhone = useMediaQuery('(max-width: 48em)') ?? false
  return (
    <PageFrame
      lead="WhatsApp and mail messages: each is sent once, retried where that helps, and followed until delivered."
      actions={<SendButton onSent={({ id }) => opened.open(id)} />}
    >
      <Stats />
      {!isPhone && <Figures />}
      <FilteredTable
        {...page}
        label="Outbound messages"
        selection={selection}
        empty={
          <Empty title="No messages yet">
            Messages sent by <code>POST /api/v1/outbound/messages</code> or from here are listed.
          </Empty>
        }
        drawer="Message"
        renderDetails={(id) => <MessageDetails id={id} />}
      >
        <DossierFinder />
        <SavedViews filter={page.filter} page="outbound" layout={page.layout} />
        {selection.ids.size > 0 && (
          <BulkActions
            chosen={page.list.rows.filter(({ id }) => selection.has(id))}
            onDone={selection.clear}
          />
        )}
      </FilteredTable>
      {/* A phone shows what one came for first. */}
      {isPhone && <Figures />}
    </PageFrame>
  )
}

const COLUMNS: readonly Column<OutboundMessage>[] = [
  {
    id: 'status',
    title: 'State',
    sortBy: ({ status }) => status,
    width: '118px',
    cell: (message) => <StateBadge state={message.status} role={roleOfMessage(message)} />,
  },
  column.text('channel', 'Channel', { width: '90px', narrow: 'hidden' }),
  column.text('to', 'To', { width: 'minmax(110px, 1.2fr)' }),
  column.text('templateCode', 'Template', { id: 'template', none: '–', narrow: 'hidden' }),
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
  column.text('errorCode', 'Last error', { id: 'error', none: '–' }),
  column.time('createdAt', 'Created', { id: 'at', width: '108px' }),
]

function Stats() {
  const query = useRead('/api/v1/outbound/messages/stats', ['outbound', 'stats'])
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

/** Opens a dossier by its id; a new one starts with a consent. */
function DossierFinder() {
  const [id, setId] = useState('')
  const navigate = useNavigate()
  const submit = () => {
    if (id.trim() === '') return
    void navigate({ to: '/outbound/dossiers/$id', params: { id: id.trim() } } as never)
  }
  return (
    <Form onSubmit={submit}>
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
    </Form>
  )
}

interface BulkActionsProps {
  readonly chosen: readonly OutboundMessage[]
  readonly onDone: () => void
}

function BulkActions({ chosen, onDone }: BulkActionsProps) {
  const common = {
    to: 'write',
    nouns: ['message', 'messages'],
    changes: ['outbound'],
    nameOf: ({ to }: OutboundMessage) => to,
    onDone,
  } as const
  const given = ({ id }: OutboundMessage) => ({ path: { id } })
  return (
    <>
      <BulkButton
        {...common}
        rows={chosen.filter(({ status }) => status === 'FAILED')}
        verb="Retry"
        past="queued again"
        run={(row) => post('/api/v1/outbound/messages/{id}/retry', given(row))}
      >
        Selected messages that have not failed are left out. One that fails for the same reason
        fails again: fix the cause first.
      </BulkButton>
      <BulkButton
        {...common}
        rows={chosen.filter(({ status }) => status === 'QUEUED')}
        verb="Cancel"
        past="cancelled"
        tone="danger"
        run={(row) => post('/api/v1/outbound/messages/{id}/cancel', given(row))}
      >
        They will not be received. Selected messages that are already sent are left out.
      </BulkButton>
    </>
  )
}
