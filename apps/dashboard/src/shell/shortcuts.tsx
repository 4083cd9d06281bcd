import { Kbd, Modal } from '@mantine/core'
import { useDisclosure, useWindowEvent } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { useRef } from 'react'
import { KeyValue } from '../parts/show/facts.tsx'
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
      <KeyValue
        facts={{
          'Search things, pages and actions': keys('Ctrl', 'K'),
          'Go to the filter of the page': keys('/'),
          'Move through the rows of a table': keys('↑', '↓'),
          'Open the row': keys('Enter'),
          'Next and previous row, also of an open one': keys('j', 'k'),
          'Select the row': keys('Space'),
          'Select all rows from the last one': keys('Shift', 'Space'),
          'Close the dialog or drawer on top': keys('Esc'),
          'Show this list': keys('?'),
          ...Object.fromEntries(pages.map(({ title, key }) => [title, keys('g', key)])),
        }}
      />
    </Modal>
  )
}

function keys(...names: readonly string[]) {
  return names.map((name) => (
    <Kbd key={name} size="xs" mr={4}>
      {name}
    </Kbd>
  ))
}

function focusFilter(): boolean {
  const filter = document.querySelector<HTMLElement>('main [data-filter]')
  filter?.focus()
  return filter !== null
}
