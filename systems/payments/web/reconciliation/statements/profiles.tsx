import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import {
  ActButton,
  ButtonLink,
  type Column,
  column,
  Empty,
  Failure,
  FileDrop,
  FilteredTable,
  Form,
  Json,
  PageFrame,
  patch,
  PermittedButton,
  post,
  QueryState,
  remove,
  sentenceOf,
  Timeline,
  useAction,
  useListOf,
  useOpened,
  useRead,
  Part,
} from '@posthorn/dashboard/kit'
import { useEffect, useState } from 'react'
import { guessRules } from './guess-rules.ts'
import { RulesFields } from './rules-fields.tsx'
import { STANDARD_RULES } from '../../../reconciliation/profiles/standard.ts'
import { type Profile, type Rules, trimmed } from './rules.ts'
import { PREVIEW_BYTES, StatementPreview } from './statements.tsx'

const NEW = 'new'

const COLUMNS: readonly Column<Profile>[] = [
  column.text('name', 'Name'),
  column.text('version', 'Version', { width: '80px' }),
  {
    id: 'date',
    title: 'Date format',
    width: '130px',
    narrow: 'hidden',
    cell: ({ rules }) => rules.dateFormat,
  },
  {
    id: 'currency',
    title: 'Currency',
    width: '130px',
    narrow: 'hidden',
    cell: ({ rules }) => rules.currency ?? 'in a column',
  },
  column.time('updatedAt', 'Changed', { clock: 'business', width: '132px' }),
]

export function Profiles() {
  const opened = useOpened()
  const list = useListOf('/api/v1/reconciliation-profiles', ['reconciliation-profiles', 'list'])
  return (
    <PageFrame
      title="Profiles"
      lead="How each bank’s files are read. Changing the rules creates a new version; files keep theirs."
      actions={
        <>
          <ButtonLink variant="default" to="/reconciliation">
            Back to files
          </ButtonLink>
          <PermittedButton to="write" onClick={() => opened.open(NEW)}>
            New profile
          </PermittedButton>
        </>
      }
    >
      <FilteredTable
        label="Profiles"
        list={list}
        columns={COLUMNS}
        empty={
          <Empty title="No profiles yet">
            Files with the columns external_transaction_id, amount, currency and date need none.
          </Empty>
        }
        drawer={opened.id === NEW ? 'New profile' : 'Profile'}
        renderDetails={(id) =>
          id === NEW ? (
            <ProfileForm onDone={opened.close} />
          ) : (
            <ProfileView id={id} onGone={opened.close} />
          )
        }
      />
    </PageFrame>
  )
}

function ProfileView({ id, onGone }: { id: string; onGone: () => void }) {
  const query = useRead('/api/v1/reconciliation-profiles/{id}', ['reconciliation-profile', id], {
    params: { path: { id } },
  })
  return (
    <QueryState query={query}>
      {(profile) => (
        <Stack gap="lg">
          <ProfileForm key={profile.version} profile={profile} />
          <Group>
            <RemoveButton profile={profile} onGone={onGone} />
          </Group>
          <Versions id={id} />
        </Stack>
      )}
    </QueryState>
  )
}

function RemoveButton({ profile, onGone }: { profile: Profile; onGone: () => void }) {
  return (
    <ActButton
      label="Remove profile"
      title={`Remove ${profile.name}?`}
      verb="Remove"
      tone="danger"
      run={() => remove('/api/v1/reconciliation-profiles/{id}', { path: { id: profile.id } })}
      done={() => `${profile.name} is removed.`}
      changes={['reconciliation-profiles']}
      onDone={onGone}
    >
      New files cannot use it. Files that used it keep their version.
    </ActButton>
  )
}

function Versions({ id }: { id: string }) {
  const query = useRead(
    '/api/v1/reconciliation-profiles/{id}/versions',
    ['reconciliation-profile', id, 'versions'],
    { params: { path: { id } } },
  )
  return (
    <Part title="Versions">
      <QueryState query={query}>
        {({ items }) => (
          <Timeline
            entries={items.map(({ version, createdBy, createdAt, rules }) => ({
              id: `${version}`,
              at: createdAt,
              what: `Version ${version}, by ${createdBy}`,
              details: <Json value={rules} label={`rules of version ${version}`} />,
            }))}
          />
        )}
      </QueryState>
    </Part>
  )
}

interface ProfileFormProps {
  /** Undefined for a new one. */
  readonly profile?: Profile
  /** What its rules are tried on first. */
  readonly file?: File
  readonly onDone?: (saved: Profile) => void
}

const TYPING_MS = 500

/** The rules of a profile, tested on a file before they are saved. */
export function ProfileForm({ profile, file: given, onDone }: ProfileFormProps) {
  const [name, setName] = useState(profile?.name ?? '')
  const [rules, setRules] = useState<Rules>(profile?.rules ?? STANDARD_RULES)
  const [file, setFile] = useState(given)
  const [choices, setChoices] = useState<readonly string[]>([])
  const isNew = profile === undefined
  useEffect(() => {
    const fill = async (sample: Blob) => {
      const guess = guessRules(new Uint8Array(await sample.arrayBuffer()))
      setChoices(guess.columns)
      if (isNew) setRules(guess.rules)
    }
    if (file !== undefined) void fill(file.slice(0, PREVIEW_BYTES))
  }, [file, isNew])
  const [settled] = useDebouncedValue(rules, TYPING_MS)
  const save = useAction({
    run: () => {
      const body = { name: name.trim(), rules: trimmed(rules) }
      if (isNew) return post('/api/v1/reconciliation-profiles', { body })
      return patch('/api/v1/reconciliation-profiles/{id}', {
        path: { id: profile.id },
        body: { ...body, version: profile.version },
      })
    },
    done: (saved) => `${saved.name} is saved, version ${saved.version}.`,
    changes: ['reconciliation-profiles', 'reconciliation-profile', 'reconciliation-preview'],
  })
  const submit = () => save.mutate(undefined, { onSuccess: (saved) => onDone?.(saved) })
  return (
    <Form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          label="Name"
          description="For example the bank."
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          maxLength={100}
          required
        />
        <FileDrop
          label={file === undefined ? 'Test it with a bank file' : `Tested with ${file.name}`}
          hint={`${isNew ? 'The fields below are filled in from it. ' : ''}Nothing is stored`}
          accept=".csv,.txt,text/csv"
          onFile={setFile}
        />
        <RulesFields rules={rules} choices={choices} onChange={setRules} />
        {file !== undefined && <StatementPreview file={file} by={{ rules: trimmed(settled) }} />}
        {save.isError && <Failure>{sentenceOf(save.error)}</Failure>}
        <Group justify="flex-end">
          <Button type="submit" loading={save.isPending} disabled={name.trim() === ''}>
            {isNew ? 'Save profile' : 'Save changes'}
          </Button>
        </Group>
      </Stack>
    </Form>
  )
}
