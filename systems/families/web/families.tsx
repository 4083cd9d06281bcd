import { Group, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import {
  ButtonLink,
  type Column,
  column,
  DataTable,
  Empty,
  Form,
  moved,
  PageFrame,
  Panel,
  PermittedButton,
  useAction,
  useApi,
  useDraft,
  useFresh,
  useList,
  useUser,
} from '@posthorn/dashboard/kit'
import { createFamily, type FamilyItem, readFamilies } from './family-api.ts'

const COLUMNS: readonly Column<FamilyItem>[] = [
  column.text('name', 'Name', { width: 'minmax(0, 2fr)' }),
  column.text('memberCount', 'Members', { width: '84px' }),
  column.copy('id', 'Id', { width: 'minmax(0, 1.5fr)', narrow: 'hidden' }),
  column.time('createdAt', 'Created', { clock: 'business', width: '132px' }),
]

export function Families() {
  const api = useApi()
  const navigate = useNavigate()
  const { production } = useUser()
  const list = useList<FamilyItem>({
    queryKey: ['families', 'list'],
    read: (cursor, signal) => readFamilies(api, cursor, signal),
  })
  useFresh(['families'], moved('families.events'))
  const open = (id: string) => void navigate({ to: '/families/$id', params: { id } } as never)
  return (
    <PageFrame
      title="Families"
      lead="Users create families and invite others by mail; each invitation is an event that is sent once."
      actions={
        !production && (
          <ButtonLink variant="default" to="/families/mailbox">
            Mailbox
          </ButtonLink>
        )
      }
    >
      <Panel title="New family">
        <FamilyForm onCreated={open} />
      </Panel>
      <DataTable
        label="Families"
        list={list}
        columns={COLUMNS}
        idOf={({ id }) => id}
        onOpen={({ id }) => open(id)}
        empty={
          <Empty title="No families yet">
            Create one above: you become its owner and can invite members.
          </Empty>
        }
      />
    </PageFrame>
  )
}

/** Creates a family with the logged-in user as its owner. */
function FamilyForm({ onCreated }: { onCreated: (id: string) => void }) {
  const { draft, text } = useDraft({ name: '' })
  const create = useAction({
    run: (wished: string) => createFamily(wished),
    done: ({ family }) => `Family ${family.name} created; you are its owner.`,
    changes: ['families'],
  })
  const submit = () =>
    create.mutate(draft.name.trim(), { onSuccess: ({ family }) => onCreated(family.id) })
  return (
    <Form onSubmit={submit}>
      <Group gap="sm" align="flex-end">
        <TextInput
          label="Name"
          {...text('name')}
          maxLength={100}
          required
          w={{ base: '100%', xs: 280 }}
        />
        <PermittedButton to="write" type="submit" loading={create.isPending}>
          Create family
        </PermittedButton>
      </Group>
    </Form>
  )
}
