import { ActionIcon, Drawer, Group } from '@mantine/core'
import { useMediaQuery, useWindowEvent } from '@mantine/hooks'
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react'
import { type ReactNode, useRef } from 'react'
import { useNavigate, useSearch } from '@tanstack/react-router'

interface DetailDrawerProps {
  /** From `useOpened`: a drawer has an address, so that it can be sent to a colleague. */
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly title: ReactNode
  /** The rows before and after, from `neighboursOf`. */
  readonly neighbours?: Neighbours
  readonly children: ReactNode
}

/**
 * Everything about one row, next to its table; the whole screen on a phone. `j` and `k` go to the
 * next row and the one before.
 */
export function DetailDrawer(props: DetailDrawerProps) {
  const { isOpen, onClose, title, neighbours, children } = props
  const isNarrow = useMediaQuery('(max-width: 48em)')
  const content = useRef<HTMLDivElement>(null)
  useWindowEvent('keydown', (event) => {
    if (!isOpen || !isTopmost(content.current) || isOfField(event)) return
    if (event.key === 'Escape') onClose()
    else if (event.key === 'j') neighbours?.next?.()
    else if (event.key === 'k') neighbours?.previous?.()
  })
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      title={title}
      position="right"
      size={isNarrow ? '100%' : 'min(720px, 60vw)'}
      overlayProps={{ backgroundOpacity: 0.25 }}
      // It would close behind a dialog that was opened from it, too: one layer at a time.
      closeOnEscape={false}
    >
      <div ref={content}>
        {neighbours && <Steps neighbours={neighbours} />}
        {children}
      </div>
    </Drawer>
  )
}

/** Whether no dialog was opened after the one that something is in. */
function isTopmost(content: HTMLElement | null): boolean {
  const dialogs = document.querySelectorAll('[role=dialog]')
  return content !== null && dialogs[dialogs.length - 1] === content.closest('[role=dialog]')
}

/** A key that a field, or what it has opened, takes for itself. */
function isOfField({ key, target, ctrlKey, metaKey, altKey, isComposing }: KeyboardEvent): boolean {
  if (!(target instanceof Element) || isComposing) return false
  if (key === 'Escape') return target.getAttribute('data-mantine-stop-propagation') === 'true'
  return ctrlKey || metaKey || altKey || target.closest('input, textarea, select') !== null
}

function Steps({ neighbours: { previous, next } }: { neighbours: Neighbours }) {
  return (
    <Group gap={4} justify="flex-end">
      <ActionIcon aria-label="Previous row" disabled={previous === undefined} onClick={previous}>
        <IconChevronUp size={16} aria-hidden />
      </ActionIcon>
      <ActionIcon aria-label="Next row" disabled={next === undefined} onClick={next}>
        <IconChevronDown size={16} aria-hidden />
      </ActionIcon>
    </Group>
  )
}

interface Opened {
  /** Of the open row. */
  readonly id: string | undefined
  open(id: string): void
  close(): void
}

/** Which row is open, as the address says: `?open=…`. Back closes it. */
export function useOpened(): Opened {
  const { open: id } = useSearch({ strict: false }) as { open?: string }
  const navigate = useNavigate()
  const go = (next: string | undefined) =>
    void navigate({
      to: '.',
      search: (before: object) => ({ ...before, open: next }),
      resetScroll: false,
    } as never)
  return { id, open: go, close: () => go(undefined) }
}

/** The rows before and after the open one; undefined at an end of what has been read. */
export interface Neighbours {
  readonly previous: (() => void) | undefined
  readonly next: (() => void) | undefined
}

/** The rows that a drawer steps to, in the order of its table. */
export function neighboursOf<Row>(
  rows: readonly Row[],
  idOf: (row: Row) => string,
  opened: Opened,
): Neighbours {
  const at = rows.findIndex((row) => idOf(row) === opened.id)
  const goTo = (index: number) => {
    const row = at === -1 ? undefined : rows[index]
    return row === undefined ? undefined : () => opened.open(idOf(row))
  }
  return { previous: at === 0 ? undefined : goTo(at - 1), next: goTo(at + 1) }
}
