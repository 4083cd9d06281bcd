import { ActionIcon, Button, Group, Popover, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure, useLocalStorage } from '@mantine/hooks'
import { IconBookmark, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { useClaims } from '../../session/session-context.tsx'
import type { Filter } from '../act/filter-bar.tsx'
import { Form } from '../act/form.tsx'
import { type Layout, layoutIn, type StoredLayout } from '../table/layout.ts'

interface View {
  readonly name: string
  readonly values: Readonly<Record<string, string>>
  readonly layout?: StoredLayout
}

interface SavedViewsProps {
  readonly filter: Pick<Filter, 'values' | 'isSet' | 'set' | 'clear'>
  /** The list that the views are of. */
  readonly page: string
  /** The table's, which a view keeps too. */
  readonly layout?: Layout | undefined
}

const MOST_VIEWS = 20

/** Filters, columns and orders that the user keeps under a name, in this browser. */
export function SavedViews({ filter, page, layout }: SavedViewsProps) {
  const { sub, org } = useClaims()
  const [isOpen, { toggle, close }] = useDisclosure(false)
  const [views, setViews] = useLocalStorage<readonly View[]>({
    key: `posthorn:views:${org}:${sub}:${page}`,
    defaultValue: [],
  })
  const show = ({ values, layout: kept }: View) => {
    const others = Object.keys(filter.values).map((name) => [name, undefined])
    filter.set({ ...Object.fromEntries(others), ...values })
    if (kept !== undefined) layout?.set(layoutIn(kept))
    close()
  }
  return (
    <Popover opened={isOpen} onDismiss={close} width={260} trapFocus returnFocus withRoles={false}>
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<IconBookmark size={14} aria-hidden />}
          aria-expanded={isOpen}
          onClick={toggle}
        >
          Views
        </Button>
      </Popover.Target>
      <Popover.Dropdown p="sm" role="dialog" aria-label="Saved views">
        <Stack gap={6}>
          {views.length === 0 && (
            <Text size="sm" c="dimmed">
              No saved views. Set a filter or choose columns, then save them under a name.
            </Text>
          )}
          {views.map((view) => (
            <Group key={view.name} gap={4} wrap="nowrap" justify="space-between">
              <Button variant="subtle" justify="flex-start" fullWidth onClick={() => show(view)}>
                {view.name}
              </Button>
              <ActionIcon
                aria-label={`Delete ${view.name}`}
                onClick={() => setViews(views.filter(({ name }) => name !== view.name))}
              >
                <IconTrash size={14} aria-hidden />
              </ActionIcon>
            </Group>
          ))}
          {(filter.isSet || layout?.isChanged) && (
            <NewView
              onSave={(name) => {
                const values = filter.values as View['values']
                const others = views.filter((view) => view.name !== name)
                const view = { name, values, ...(layout && { layout: layout.stored }) }
                setViews([...others, view].slice(-MOST_VIEWS))
              }}
            />
          )}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

function NewView({ onSave }: { onSave: (name: string) => void }) {
  const [name, setName] = useState('')
  const submit = () => {
    onSave(name.trim())
    setName('')
  }
  return (
    <Form onSubmit={submit}>
      <Group gap={4} wrap="nowrap" align="flex-end">
        <TextInput
          label="Save view as"
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          maxLength={40}
          required
        />
        <Button type="submit" disabled={name.trim() === ''}>
          Save
        </Button>
      </Group>
    </Form>
  )
}
