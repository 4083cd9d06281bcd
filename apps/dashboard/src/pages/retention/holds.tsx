import { Alert, Button, Group, Modal, Select, Stack, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import type { paths } from '../../api/schema.d.ts'
import { ConfirmButton } from '../../parts/confirm.tsx'
import { CopyId } from '../../parts/copy-id.tsx'
import { FilterSelect } from '../../parts/filter-bar.tsx'
import { Empty } from '../../parts/notice.tsx'
import type { Column } from '../../parts/table/data-table.tsx'
import { FilteredTable, useFilteredList } from '../../parts/table/filtered-table.tsx'
import { Time } from '../../parts/time.tsx'
import { sentenceOf, useAction } from '../../parts/use-action.ts'
import { oneOf } from '../../parts/use-filter.ts'
import { PermittedButton } from '../../parts/permitted.tsx'
import { SectionFrame } from '../../parts/section-frame.tsx'
import { RETENTION } from '../sections.ts'

type Hold =
  paths['/api/v1/legal-holds']['get']['responses']['200']['content']['application/json']['items'][number]

const STATES = ['open', 'released'] as const

/** What a hold can be placed on, as people say it. */
const KINDS = {
  organisation: 'The whole organisation',
  payment: 'A payment',
  reconciliation: 'A reconciliation run',
  'file-job': 'A file job',
  dossier: 'A dossier',
  saga: 'A saga with its order',
  family: 'A family',
} as const

const COLUMNS: readonly Column<Hold>[] = [
  {
    id: 'kind',
    title: 'Exempt',
    width: 'minmax(120px, 1fr)',
    cell: ({ kind }) => KINDS[kind as keyof typeof KINDS] ?? kind,
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
      section={RETENTION}
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
  const [kind, setKind] = useState<keyof typeof KINDS>('payment')
  const [subject, setSubject] = useState('')
  const [reason, setReason] = useState('')
  const isWhole = kind === 'organisation'
  const place = useAction({
    run: () =>
      dataOf(
        api.POST('/api/v1/legal-holds', {
          body: { kind, reason, ...(!isWhole && { subject: subject.trim() }) },
        }),
      ),
    done: () => 'Legal hold placed.',
    changes: ['legal-holds', 'retention'],
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    place.mutate(undefined, { onSuccess: onClose })
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Select
          label="What"
          value={kind}
          onChange={(value) => setKind((value ?? 'payment') as keyof typeof KINDS)}
          data={Object.entries(KINDS).map(([value, label]) => ({ value, label }))}
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
        {place.isError && (
          <Alert color="red" role="alert">
            {sentenceOf(place.error)}
          </Alert>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={place.isPending}>
            Cancel
          </Button>
          <Button type="submit" loading={place.isPending}>
            Place hold
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
