import { Button, Select, Text, TextInput } from '@mantine/core'
import { type BodyOf, dataOf, type ItemOf, post, useApi } from '../../api/client.tsx'
import { useMutation } from '@tanstack/react-query'
import { ActButton, ActionForm, DialogButton, useDraft } from '../../parts/act/form.tsx'
import { field } from '../../parts/act/filter-bar.tsx'
import { useAction } from '../../parts/act/action.tsx'
import { Empty } from '../../parts/layout/notice.tsx'
import { PageFrame } from '../../parts/layout/page-frame.tsx'
import { CopyId, Time } from '../../parts/show/facts.tsx'
import { type Column, column } from '../../parts/table/columns.tsx'
import { DataTable } from '../../parts/table/data-table.tsx'
import { FilteredTable, useFilteredList } from '../../parts/table/list-page.tsx'
import { useContents } from '../../systems.tsx'
import { countOf, formatCount } from '../../format/number.ts'
import { useListOf } from '../../parts/table/list.ts'

type Hold = ItemOf<'/api/v1/legal-holds'>

/** What a hold can be placed on, as people say it: the things of every system that runs. */
function useKinds(): Readonly<Record<string, string>> {
  const { webs } = useContents()
  const added = webs.flatMap(({ holds = {} }) => Object.entries(holds))
  return { organisation: 'The whole organisation', ...Object.fromEntries(added) }
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
    fields: { status: field.choice('State', ['open', 'released']) },
    columns: COLUMNS,
    read: (query, signal) => dataOf(api.GET('/api/v1/legal-holds', { params: { query }, signal })),
  })
  return (
    <PageFrame
      lead="Data under a legal hold is neither removed nor erased until the hold is released."
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
    </PageFrame>
  )
}

function Release({ hold }: { hold: Hold }) {
  return (
    <ActButton
      to="administer"
      label="Release"
      button={{ size: 'compact-sm' }}
      title="Release this legal hold?"
      reason="required"
      run={(reason = '') =>
        post('/api/v1/legal-holds/{id}/release', { path: { id: hold.id }, body: { reason } })
      }
      done={() => 'Legal hold released.'}
      changes={['legal-holds']}
    >
      The next run removes what is past its time, and waiting erasures continue.
    </ActButton>
  )
}

function HoldForm({ onClose }: { readonly onClose: () => void }) {
  const kinds = useKinds()
  const { draft, text, choice } = useDraft({ kind: 'organisation', subject: '', reason: '' })
  const isWhole = draft.kind === 'organisation'
  const place = useAction({
    run: () => {
      const { subject, reason } = draft
      const kind = draft.kind as BodyOf<'/api/v1/legal-holds'>['kind']
      const body = { kind, reason, ...(!isWhole && { subject: subject.trim() }) }
      return post('/api/v1/legal-holds', { body })
    },
    done: () => 'Legal hold placed.',
    changes: ['legal-holds', 'retention'],
  })
  return (
    <ActionForm action={place} onClose={onClose} verb="Place hold">
      <Select
        label="Applies to"
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

type Erasure = ItemOf<'/api/v1/erasures'>

const KINDS = {
  email: 'E-mail address',
  phone: 'Phone number',
  externalId: 'External id',
  dossierId: 'Dossier',
} as const
type PersonKind = keyof typeof KINDS

const ROLES = { running: 'claimed', waiting: 'retry', done: 'confirmed' } as const

const ERASURE_COLUMNS: readonly Column<Erasure>[] = [
  column.state('status', 'State', { order: 'none', roles: ROLES, width: '110px' }),
  { id: 'kind', title: 'Person by', cell: ({ subjectKind }) => KINDS[subjectKind] },
  column.text('reason', 'Reason', { order: 'none', width: 'minmax(0, 2fr)' }),
  column.text('requestedBy', 'By', { id: 'by', order: 'none', narrow: 'hidden' }),
  column.count('erased', 'Overwritten', { order: 'none' }),
  {
    id: 'waiting',
    title: 'Waiting',
    width: 'minmax(0, 1.5fr)',
    cell: ({ inFlight, held }) =>
      [
        inFlight > 0 && `${formatCount(inFlight)} in flight`,
        held > 0 && `${formatCount(held)} on hold`,
      ]
        .filter(Boolean)
        .join(', '),
  },
  column.time('requestedAt', 'Requested', { id: 'at', order: 'none', width: '120px' }),
]

/** Erasures that were asked for; none says whose. */
export function Erasures() {
  const list = useListOf('/api/v1/erasures', ['erasures'])
  return (
    <PageFrame
      lead="Overwrites a person's data in all systems for good. Amounts, counts and the audit stay."
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
        columns={ERASURE_COLUMNS}
        idOf={({ id }) => id}
        empty={<Empty title="No erasures">No person has been erased so far.</Empty>}
      />
    </PageFrame>
  )
}

/** Counts first: what is then erased cannot be brought back. */
function ErasureForm({ onClose }: { readonly onClose: () => void }) {
  const api = useApi()
  const { draft, text, choice } = useDraft({ kind: 'email' as PersonKind, value: '', reason: '' })
  const { kind, value, reason } = draft
  const subject = { [kind]: value.trim() }
  const count = useMutation({
    mutationFn: (asked: typeof subject) =>
      post('/api/v1/erasures/count', { body: { subject: asked } })(api),
  })
  const counted = count.variables?.[kind] === subject[kind] ? count.data : undefined
  const erase = useAction({
    run: () => {
      const why = reason.trim()
      return post('/api/v1/erasures', { body: { subject, ...(why !== '' && { reason: why }) } })
    },
    done: () => 'The erasure has begun.',
    changes: ['erasures'],
  })
  return (
    <ActionForm
      action={counted ? erase : { ...count, mutate: () => count.mutate(subject) }}
      onClose={onClose}
      verb={counted ? `Erase ${rowsIn(counted)}` : 'Count'}
      tone={counted && 'danger'}
      disabled={isNamedIn(reason, value)}
    >
      <Select
        label="Person by"
        {...choice('kind')}
        data={Object.entries(KINDS).map(([id, label]) => ({ value: id as PersonKind, label }))}
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
        error={isNamedIn(reason, value) && 'The reason is kept: leave the person out of it.'}
        {...text('reason')}
        maxLength={1_000}
      />
      {counted && (
        <Text size="sm" role="status">
          This overwrites {rowsIn(counted)} that name this person. It cannot be undone.
          {counted.held > 0 && ` ${countOf(counted.held, 'row')} under a legal hold must wait.`}
        </Text>
      )}
    </ActionForm>
  )
}

function rowsIn({ rows, isWhole }: { rows: number; isWhole: boolean }): string {
  return isWhole ? countOf(rows, 'row') : `at least ${countOf(rows, 'row')}`
}

/** Whether a text has it, however it is spaced. */
function isNamedIn(reason: string, value: string): boolean {
  const plain = (written: string) => written.toLowerCase().replaceAll(/[\s().+-]/g, '')
  return plain(value) !== '' && plain(reason).includes(plain(value))
}
