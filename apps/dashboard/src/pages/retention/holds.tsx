import { Modal, Select, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import type { paths } from '../../api/schema.d.ts'
import { ActionForm, ConfirmButton } from '../../parts/act/confirm.tsx'
import { FilterSelect, oneOf } from '../../parts/act/filter-bar.tsx'
import { PermittedButton } from '../../parts/act/permitted.tsx'
import { useAction } from '../../parts/act/use-action.ts'
import { Empty } from '../../parts/layout/notice.tsx'
import { SectionFrame } from '../../parts/layout/page-frame.tsx'
import { CopyId } from '../../parts/show/copy-id.tsx'
import { Time } from '../../parts/show/time.tsx'
import type { Column } from '../../parts/table/data-table.tsx'
import { FilteredTable, useFilteredList } from '../../parts/table/filtered-table.tsx'
import { useContents } from '../../systems.tsx'

type Hold =
  paths['/api/v1/legal-holds']['get']['responses']['200']['content']['application/json']['items'][number]

type NewHold = paths['/api/v1/legal-holds']['post']['requestBody']['content']['application/json']

const STATES = ['open', 'released'] as const

/** What a hold can be placed on, as people say it: the things of every system that runs. */
function useKinds(): Readonly<Record<string, string>> {
  const { webs } = useContents()
  return Object.assign(
    { organisation: 'The whole organisation' },
    ...webs.map(({ holds }) => holds ?? {}),
  ) as Record<string, string>
}

function Kind({ kind }: { kind: string }) {
  return useKinds()[kind] ?? kind
}

const COLUMNS: readonly Column<Hold>[] = [
  {
    id: 'kind',
    title: 'Exempt',
    width: 'minmax(120px, 1fr)',
    cell: ({ kind }) => <Kind kind={kind} />,
  },
  {
    id: 'subject',
    title: 'Id',
    cell: ({ subject }) => (subject === null ? '' : <CopyId id={subject} />),
  },
  { id: 'reason', title: 'Reason', width: 'minmax(0, 2fr)', cell: ({ reason }) => reason },
  { id: 'by', title: 'By', narrow: 'hidden', cell: ({ placedBy }) => placedBy },
  { id: 'at', title: 'Since', width: '120px', cell: ({ placedAt }) => <Time at={placedAt} /> },
  {
    id: 'released',
    title: 'Released',
    width: '130px',
    cell: (hold) =>
      hold.releasedAt === null ? <Release hold={hold} /> : <Time at={hold.releasedAt} />,
  },
]

/** What must stay past its time. */
export function Holds() {
  const api = useApi()
  const [isOpen, { open, close }] = useDisclosure(false)
  const { filter, list } = useFilteredList({
    queryKey: ['legal-holds'],
    fields: { status: oneOf(STATES) },
    read: (query, signal) => dataOf(api.GET('/api/v1/legal-holds', { params: { query }, signal })),
  })
  return (
    <SectionFrame
      lead="What is under a legal hold is neither removed nor erased until it is released."
      actions={
        <PermittedButton to="administer" onClick={open}>
          Place a hold
        </PermittedButton>
      }
    >
      <FilteredTable
        filter={filter}
        label="Legal holds"
        list={list}
        columns={COLUMNS}
        idOf={({ id }) => id}
        empty={<Empty title="No legal holds">Nothing is exempt from retention.</Empty>}
      >
        <FilterSelect filter={filter} name="status" label="State" options={STATES} />
      </FilteredTable>
      <Modal opened={isOpen} onClose={close} title="Place a legal hold">
        <HoldForm onClose={close} />
      </Modal>
    </SectionFrame>
  )
}

function Release({ hold }: { hold: Hold }) {
  const api = useApi()
  const client = useQueryClient()
  return (
    <ConfirmButton
      to="administer"
      label="Release"
      button={{ size: 'compact-sm' }}
      title="Release this legal hold?"
      verb="Release"
      reason="required"
      onConfirm={async (reason = '') => {
        const params = { path: { id: hold.id } }
        await api.POST('/api/v1/legal-holds/{id}/release', { params, body: { reason } })
        await client.invalidateQueries({ queryKey: ['legal-holds'] })
      }}
    >
      What is past its time is removed with the next run, and erasures that wait go on.
    </ConfirmButton>
  )
}

function HoldForm({ onClose }: { readonly onClose: () => void }) {
  const api = useApi()
  const kinds = useKinds()
  const [kind, setKind] = useState('organisation')
  const [subject, setSubject] = useState('')
  const [reason, setReason] = useState('')
  const isWhole = kind === 'organisation'
  const place = useAction({
    run: () =>
      dataOf(
        api.POST('/api/v1/legal-holds', {
          body: {
            kind: kind as NewHold['kind'],
            reason,
            ...(!isWhole && { subject: subject.trim() }),
          },
        }),
      ),
    done: () => 'Legal hold placed.',
    changes: ['legal-holds', 'retention'],
  })
  return (
    <ActionForm action={place} onClose={onClose} verb="Place hold">
      <Select
        label="What"
        value={kind}
        onChange={(value) => setKind(value ?? 'organisation')}
        data={Object.entries(kinds).map(([value, label]) => ({ value, label }))}
        allowDeselect={false}
      />
      {!isWhole && (
        <TextInput
          label="Id"
          value={subject}
          onChange={({ currentTarget }) => setSubject(currentTarget.value)}
          required
        />
      )}
      <TextInput
        label="Reason"
        description="Recorded in the audit log."
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
        required
        maxLength={1_000}
      />
    </ActionForm>
  )
}
