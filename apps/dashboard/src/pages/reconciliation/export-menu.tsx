import { Button, Popover, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconChevronDown } from '@tabler/icons-react'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { saveFile } from '../../parts/save-file.ts'
import { useAction } from '../../parts/use-action.ts'

const KINDS = [
  { kind: 'all', words: 'Everything' },
  { kind: 'matched', words: 'Matched records' },
  { kind: 'unmatched', words: 'Unmatched records' },
  { kind: 'missing', words: 'Missing payments' },
] as const

/** Records and missing payments as CSV. */
export function ExportMenu({ id }: { id: string }) {
  const api = useApi()
  const [isOpen, { toggle, close }] = useDisclosure(false)
  const save = useAction({
    run: async (kind: (typeof KINDS)[number]['kind']) => {
      const params = { path: { id }, query: { kind } }
      const content = await dataOf(
        api.GET('/api/v1/reconciliations/{id}/export.csv', { params, parseAs: 'blob' }),
      )
      saveFile(`reconciliation-${id}-${kind}.csv`, content)
    },
    done: () => 'Export saved.',
    changes: [],
  })
  return (
    <Popover
      position="bottom-end"
      opened={isOpen}
      onDismiss={close}
      trapFocus
      returnFocus
      withRoles={false}
    >
      <Popover.Target>
        <Button
          variant="default"
          loading={save.isPending}
          aria-expanded={isOpen}
          onClick={toggle}
          rightSection={<IconChevronDown size={14} aria-hidden />}
        >
          Export
        </Button>
      </Popover.Target>
      <Popover.Dropdown p="xs" role="dialog" aria-label="What to export">
        <Stack gap={2}>
          {KINDS.map(({ kind, words }) => (
            <Button
              key={kind}
              variant="subtle"
              color="gray"
              c="inherit"
              justify="flex-start"
              onClick={() => {
                close()
                save.mutate(kind)
              }}
            >
              {words}
            </Button>
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
