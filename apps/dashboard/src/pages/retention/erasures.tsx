import { ActionForm } from '../../parts/act/confirm.tsx'
import { Button, Modal, Select, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import type { paths } from '../../api/schema.d.ts'
import { formatCount } from '../../format/number.ts'
import { PermittedButton } from '../../parts/act/permitted.tsx'
import { useAction } from '../../parts/act/use-action.ts'
import { Empty } from '../../parts/layout/notice.tsx'
import { SectionFrame } from '../../parts/layout/page-frame.tsx'
import { StateBadge } from '../../parts/show/state-badge.tsx'
import { Time } from '../../parts/show/time.tsx'
import { type Column, DataTable } from '../../parts/table/data-table.tsx'
import { useList } from '../../parts/table/list.ts'

type Erasure =
  paths['/api/v1/erasures']['get']['responses']['200']['content']['application/json']['items'][number]

const KINDS = {
  email: 'E-mail address',
  phone: 'Phone number',
  externalId: 'External id',
  dossierId: 'Dossier',
} as const
type Kind = keyof typeof KINDS

const ROLES = { running: 'claimed', waiting: 'retry', done: 'confirmed' } as const

const COLUMNS: readonly Column<Erasure>[] = [
  {
    id: 'status',
    title: 'State',
    width: '110px',
    cell: ({ status }) => <StateBadge state={status} role={ROLES[status]} />,
  },
  { id: 'kind', title: 'Person by', cell: ({ subjectKind }) => KINDS[subjectKind] },
  { id: 'reason', title: 'Reason', width: 'minmax(0, 2fr)', cell: ({ reason }) => reason ?? '' },
  { id: 'by', title: 'By', narrow: 'hidden', cell: ({ requestedBy }) => requestedBy },
  { id: 'erased', title: 'Overwritten', align: 'right', cell: (each) => formatCount(each.erased) },
  {
    id: 'waiting',
    title: 'Waiting',
    width: 'minmax(0, 1.5fr)',
    cell: ({ inFlight, held }) => waitingWords(inFlight, held),
  },
  { id: 'at', title: 'Asked', width: '120px', cell: (each) => <Time at={each.requestedAt} /> },
]

function waitingWords(inFlight: number, held: number): string {
  return [
    inFlight > 0 ? `${formatCount(inFlight)} in flight` : '',
    held > 0 ? `${formatCount(held)} on hold` : '',
  ]
    .filter((part) => part !== '')
    .join(', ')
}

/** Erasures that were asked for; none says whose. */
export function Erasures() {
  const api = useApi()
  const [isOpen, { open, close }] = useDisclosure(false)
  const list = useList<Erasure>({
    queryKey: ['erasures'],
    read: (cursor, signal) => {
      const query = { limit: 100, ...(cursor !== undefined && { cursor }) }
      return dataOf(api.GET('/api/v1/erasures', { params: { query }, signal }))
    },
  })
  return (
    <SectionFrame
      lead="A person's data in all systems, overwritten for good. Amounts, counts and the audit stay."
      actions={
        <>
          <Button variant="default" onClick={list.reload}>
            Reload
          </Button>
          <PermittedButton to="administer" onClick={open}>
            Erase a person
          </PermittedButton>
        </>
      }
    >
      <DataTable
        label="Erasures"
        list={list}
        columns={COLUMNS}
        idOf={({ id }) => id}
        empty={<Empty title="No erasures">No person has been erased so far.</Empty>}
      />
      <Modal opened={isOpen} onClose={close} title="Erase a person">
        <ErasureForm onClose={close} />
      </Modal>
    </SectionFrame>
  )
}

function ErasureForm({ onClose }: { readonly onClose: () => void }) {
  const api = useApi()
  const [kind, setKind] = useState<Kind>('email')
  const [value, setValue] = useState('')
  const [reason, setReason] = useState('')
  const erase = useAction({
    run: () => {
      const why = reason.trim()
      const body = { subject: { [kind]: value.trim() }, ...(why !== '' && { reason: why }) }
      return dataOf(api.POST('/api/v1/erasures', { body }))
    },
    done: () => 'The erasure has begun.',
    changes: ['erasures'],
  })
  return (
    <ActionForm action={erase} onClose={onClose} verb="Erase" tone="danger">
      <Select
        label="Person by"
        value={kind}
        onChange={(next) => setKind((next ?? 'email') as Kind)}
        data={Object.entries(KINDS).map(([id, label]) => ({ value: id, label }))}
        allowDeselect={false}
      />
      <TextInput
        label={KINDS[kind]}
        {...(kind === 'phone' && { description: 'With the country code, as +16505551234.' })}
        value={value}
        onChange={({ currentTarget }) => setValue(currentTarget.value)}
        required
        data-autofocus
      />
      <TextInput
        label="Reason"
        description="Recorded in the audit log. Do not name the person."
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
        maxLength={1_000}
      />
      <Text size="sm">
        Everything that names this person is overwritten. This cannot be undone.
      </Text>
    </ActionForm>
  )
}
