import { Select, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type BodyOf, dataOf, type ItemOf, post, useApi } from '../../api/client.tsx'
import { ActionForm, ConfirmButton, DialogButton, useDraft } from '../../parts/act/form.tsx'
import { field } from '../../parts/act/filter-bar.tsx'
import { useAction } from '../../parts/act/action.tsx'
import { Empty } from '../../parts/layout/notice.tsx'
import { SectionFrame } from '../../parts/layout/page-frame.tsx'
import { CopyId } from '../../parts/show/copy-id.tsx'
import { Time } from '../../parts/show/time.tsx'
import { column } from '../../parts/table/columns.tsx'
import type { Column } from '../../parts/table/data-table.tsx'
import { FilteredTable, useFilteredList } from '../../parts/table/list-page.tsx'
import { useContents } from '../../systems.tsx'

type Hold = ItemOf<'/api/v1/legal-holds'>

type NewHold = BodyOf<'/api/v1/legal-holds'>

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
  column.text('reason', 'Reason', { order: 'none', width: 'minmax(0, 2fr)' }),
  column.text('placedBy', 'By', { id: 'by', order: 'none', narrow: 'hidden' }),
  column.time('placedAt', 'Since', { id: 'at', order: 'none', width: '120px' }),
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
  const page = useFilteredList({
    queryKey: ['legal-holds'],
    fields: { status: field.choice('State', STATES) },
    columns: COLUMNS,
    read: (query, signal) => dataOf(api.GET('/api/v1/legal-holds', { params: { query }, signal })),
  })
  return (
    <SectionFrame
      lead="What is under a legal hold is neither removed nor erased until it is released."
      actions={
        <DialogButton to="administer" label="Place a hold" title="Place a legal hold">
          {(close) => <HoldForm onClose={close} />}
        </DialogButton>
      }
    >
      <FilteredTable
        {...page}
        label="Legal holds"
        empty={<Empty title="No legal holds">Nothing is exempt from retention.</Empty>}
      />
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
  const kinds = useKinds()
  const { draft, text, choice } = useDraft({ kind: 'organisation', subject: '', reason: '' })
  const isWhole = draft.kind === 'organisation'
  const place = useAction({
    run: () => {
      const { kind, subject, reason } = draft
      const body = {
        kind: kind as NewHold['kind'],
        reason,
        ...(!isWhole && { subject: subject.trim() }),
      }
      return post('/api/v1/legal-holds', { body })
    },
    done: () => 'Legal hold placed.',
    changes: ['legal-holds', 'retention'],
  })
  return (
    <ActionForm action={place} onClose={onClose} verb="Place hold">
      <Select
        label="What"
        {...choice('kind')}
        data={Object.entries(kinds).map(([value, label]) => ({ value, label }))}
      />
      {!isWhole && <TextInput label="Id" {...text('subject')} required />}
      <TextInput
        label="Reason"
        description="Recorded in the audit log."
        {...text('reason')}
        required
        maxLength={1_000}
      />
    </ActionForm>
  )
}
