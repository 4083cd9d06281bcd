import { ActionForm, DialogButton, useDraft } from '../../parts/act/form.tsx'
import { Button, Select, Text, TextInput } from '@mantine/core'
import { dataOf, type ItemOf, post, useApi } from '../../api/client.tsx'
import { formatCount } from '../../format/number.ts'
import { useAction } from '../../parts/act/action.tsx'
import { Empty } from '../../parts/layout/notice.tsx'
import { SectionFrame } from '../../parts/layout/page-frame.tsx'
import { column } from '../../parts/table/columns.tsx'
import { type Column, DataTable } from '../../parts/table/data-table.tsx'
import { useList } from '../../parts/table/list.ts'

type Erasure = ItemOf<'/api/v1/erasures'>

const KINDS = {
  email: 'E-mail address',
  phone: 'Phone number',
  externalId: 'External id',
  dossierId: 'Dossier',
} as const
type Kind = keyof typeof KINDS

const ROLES = { running: 'claimed', waiting: 'retry', done: 'confirmed' } as const

const COLUMNS: readonly Column<Erasure>[] = [
  column.state('status', 'State', { order: 'none', roles: ROLES, width: '110px' }),
  { id: 'kind', title: 'Person by', cell: ({ subjectKind }) => KINDS[subjectKind] },
  column.text('reason', 'Reason', { order: 'none', width: 'minmax(0, 2fr)' }),
  column.text('requestedBy', 'By', { id: 'by', order: 'none', narrow: 'hidden' }),
  column.count('erased', 'Overwritten', { order: 'none' }),
  {
    id: 'waiting',
    title: 'Waiting',
    width: 'minmax(0, 1.5fr)',
    cell: ({ inFlight, held }) => waitingWords(inFlight, held),
  },
  column.time('requestedAt', 'Asked', { id: 'at', order: 'none', width: '120px' }),
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
          <DialogButton to="administer" label="Erase a person" title="Erase a person">
            {(close) => <ErasureForm onClose={close} />}
          </DialogButton>
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
    </SectionFrame>
  )
}

function ErasureForm({ onClose }: { readonly onClose: () => void }) {
  const { draft, text, choice } = useDraft({ kind: 'email' as Kind, value: '', reason: '' })
  const { kind } = draft
  const erase = useAction({
    run: () => {
      const why = draft.reason.trim()
      const body = { subject: { [kind]: draft.value.trim() }, ...(why !== '' && { reason: why }) }
      return post('/api/v1/erasures', { body })
    },
    done: () => 'The erasure has begun.',
    changes: ['erasures'],
  })
  return (
    <ActionForm action={erase} onClose={onClose} verb="Erase" tone="danger">
      <Select
        label="Person by"
        {...choice('kind')}
        data={Object.entries(KINDS).map(([id, label]) => ({ value: id as Kind, label }))}
      />
      <TextInput
        label={KINDS[kind]}
        {...(kind === 'phone' && { description: 'With the country code, as +16505551234.' })}
        {...text('value')}
        required
        data-autofocus
      />
      <TextInput
        label="Reason"
        description="Recorded in the audit log. Do not name the person."
        {...text('reason')}
        maxLength={1_000}
      />
      <Text size="sm">
        Everything that names this person is overwritten. This cannot be undone.
      </Text>
    </ActionForm>
  )
}
