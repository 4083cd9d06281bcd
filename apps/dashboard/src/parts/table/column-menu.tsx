import { Anchor, Button, Checkbox, Popover, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconColumns } from '@tabler/icons-react'
import classes from './data-table.module.css'
import { nextSort, type Layout } from './layout.ts'

/** Which columns a table shows; kept in this browser. */
export function ColumnMenu({ layout }: { layout: Layout }) {
  const [isOpen, { toggle, close }] = useDisclosure(false)
  const { stored, all, isShown, set, isChanged } = layout
  const left = all.filter(({ id }) => isShown(id)).length
  return (
    <Popover opened={isOpen} onDismiss={close} position="top-end" trapFocus returnFocus>
      <Popover.Target>
        <Anchor component="button" type="button" size="xs" aria-expanded={isOpen} onClick={toggle}>
          <IconColumns size={13} aria-hidden style={{ margin: '0 4px -2px 0' }} />
          Columns
        </Anchor>
      </Popover.Target>
      <Popover.Dropdown p="sm" role="dialog" aria-label="Columns">
        <Stack gap={6}>
          {all.map(({ id, title }) => (
            <Checkbox
              key={id}
              size="xs"
              label={title}
              checked={isShown(id)}
              disabled={left === 1 && isShown(id)}
              onChange={({ currentTarget }) =>
                set({ ...stored, shown: { ...stored.shown, [id]: currentTarget.checked } })
              }
            />
          ))}
          {/* Not disabled: a button that is loses its focus, and with it Escape and Tab their place. */}
          <Button
            size="compact-xs"
            variant="default"
            {...(!isChanged && { 'data-disabled': true })}
            aria-disabled={!isChanged}
            onClick={() => isChanged && set({ shown: {} })}
          >
            Reset columns and order
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

interface ColumnTitleProps {
  readonly id: string
  readonly title: string
  readonly align: 'left' | 'right' | undefined
  /** Whether it could be sorted by, if all rows were here. */
  readonly hasOrder: boolean
  readonly layout: Layout | undefined
}

const TOO_LONG = 'To sort by this column, narrow the list until all its rows are loaded'

const SORTED = { up: 'ascending', down: 'descending' } as const

/** A column's title, which sorts where that is possible. */
export function ColumnTitle({ id, title, align, hasOrder, layout }: ColumnTitleProps) {
  if (!layout?.canSort(id)) {
    const why = layout && hasOrder ? TOO_LONG : undefined
    return (
      <div role="columnheader" data-align={align} title={why}>
        {title}
      </div>
    )
  }
  const { stored, set } = layout
  const order = stored.sort?.column === id ? stored.sort.order : undefined
  const onClick = () => {
    const sort = nextSort(id, stored.sort)
    set({ shown: stored.shown, ...(sort && { sort }) })
  }
  return (
    <div role="columnheader" data-align={align} aria-sort={order ? SORTED[order] : 'none'}>
      <button
        type="button"
        className={classes['sort']}
        title={`Sort by ${title}`}
        onClick={onClick}
      >
        {title}
        {order !== undefined && <span aria-hidden>{order === 'up' ? ' ↑' : ' ↓'}</span>}
      </button>
    </div>
  )
}

/** How the rows are sorted. */
export function sortNote({ stored, all, canSort }: Layout): string {
  const { sort } = stored
  const title = all.find(({ id }) => id === sort?.column)?.title
  if (sort === undefined || title === undefined || !canSort(sort.column)) return ''
  return ` · sorted by ${title}, ${sort.order === 'down' ? 'highest' : 'lowest'} first`
}
