import { Kbd, Modal, Table } from '@mantine/core'
import { useDisclosure, useWindowEvent } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { useRef } from 'react'
import type { Page } from '../pages/page.ts'

const FIELDS =
  'input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable], [role=dialog] *'

/** Whether a key belongs to what has the focus: a field, or a dialog that is open. */
function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(FIELDS) !== null
}

const SHOW = 'posthorn:shortcuts'

/** Opens the list of shortcuts from wherever one is. */
export function showShortcuts(): void {
  dispatchEvent(new Event(SHOW))
}

/** `g` and a page's key within this time go to the page. */
const TOGETHER_MS = 1_500

/** `/` is in the filter, `g` goes to a page, `?` says all this. */
export function Shortcuts({ pages }: { pages: readonly Page[] }) {
  const [isOpen, { open, close }] = useDisclosure(false)
  const navigate = useNavigate()
  const wentAt = useRef(Number.NEGATIVE_INFINITY)
  useWindowEvent(SHOW as keyof WindowEventMap, open)
  useWindowEvent('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
    const isSecond = event.timeStamp - wentAt.current < TOGETHER_MS
    wentAt.current = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
    const page = isSecond ? pages.find(({ key }) => key === event.key) : undefined
    if (page !== undefined) void navigate({ to: `/${page.name}` })
    else if (event.key === '?') open()
    else if (event.key !== '/' || !focusFilter()) return
    event.preventDefault()
  })
  return (
    <Modal opened={isOpen} onClose={close} title="Keyboard shortcuts" size="sm">
      <Table verticalSpacing={4} withRowBorders={false}>
        <Table.Tbody>
          <Shortcut keys={['Ctrl', 'K']} what="Search things, pages and actions" />
          <Shortcut keys={['/']} what="Go to the filter of the page" />
          <Shortcut keys={['↑', '↓']} what="Move through the rows of a table" />
          <Shortcut keys={['Enter']} what="Open the row" />
          <Shortcut keys={['j', 'k']} what="Next and previous row, beside an open one too" />
          <Shortcut
            keys={['Shift']}
            what="With a click or Space: select all rows from the last one"
          />
          <Shortcut keys={['Space']} what="Select the row" />
          <Shortcut keys={['Esc']} what="Close the dialog or drawer on top" />
          <Shortcut keys={['?']} what="Show this list" />
          {pages.map(({ name, title, key }) => (
            <Shortcut key={name} keys={['g', key]} what={title} />
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  )
}

function Shortcut({ keys, what }: { keys: readonly string[]; what: string }) {
  return (
    <Table.Tr>
      <Table.Td w={90}>
        {keys.map((key) => (
          <Kbd key={key} size="xs" mr={4}>
            {key}
          </Kbd>
        ))}
      </Table.Td>
      <Table.Td>{what}</Table.Td>
    </Table.Tr>
  )
}

function focusFilter(): boolean {
  const filter = document.querySelector<HTMLElement>('main [data-filter]')
  filter?.focus()
  return filter !== null
}
