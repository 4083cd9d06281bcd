import { Kbd, Modal, Text, TextInput } from '@mantine/core'
import { useDebouncedValue, useDisclosure, useWindowEvent } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { keepPreviousData } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useId, useState } from 'react'
import { flushSync } from 'react-dom'
import { useRead } from '../api/client.tsx'
import type { Page } from '../pages/page.ts'
import { isOperator } from '../session/session.ts'
import classes from './palette.module.css'
import { useUser } from '../settings/settings.tsx'

const OPEN = 'posthorn:palette'

/** Opens the palette from wherever one is. */
export function openPalette(): void {
  dispatchEvent(new Event(OPEN))
}

const TYPED_MS = 200

/** Ctrl-K: goes to a page, begins an action, or finds a thing by its id, a name or an amount. */
export function Palette({ pages }: { pages: readonly Page[] }) {
  const [isOpen, { open: show, close }] = useDisclosure(false)
  // At once, so that the field has the focus before the next key is pressed.
  const open = () => flushSync(show)
  useWindowEvent(OPEN as keyof WindowEventMap, open)
  useWindowEvent('keydown', (event) => {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    open()
  })
  return (
    <Modal.Root
      opened={isOpen}
      onClose={close}
      size="lg"
      padding={0}
      yOffset="12vh"
      centered={false}
      transitionProps={{ duration: 0 }}
    >
      <Modal.Overlay />
      <Modal.Content aria-label="Search">
        <Modal.Body>{isOpen && <Search pages={pages} onClose={close} />}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}

function focus(field: HTMLInputElement | null): void {
  field?.focus()
}

function Search({ pages, onClose }: { pages: readonly Page[]; onClose: () => void }) {
  const id = useId()
  const navigate = useNavigate()
  const { role } = useUser()
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const [sought] = useDebouncedValue(text.trim(), TYPED_MS)
  const { data, isFetching } = useRead('/api/v1/search', ['search', sought], {
    params: { query: { q: sought } },
    enabled: sought.length >= 2,
    placeholderData: keepPreviousData,
  })
  const found = sought.length >= 2 ? (data?.items ?? []) : []
  const choices = choicesOf({ text: text.trim(), pages, found, searches: isOperator(role) })
  const current = Math.min(chosen, choices.length - 1)
  const go = ({ to }: Choice) => {
    onClose()
    const [path = '', search = ''] = to.split('?')
    void navigate({ to: path, search: Object.fromEntries(new URLSearchParams(search)) } as never)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const choice = choices[current]
    if (event.key === 'ArrowDown') setChosen(Math.min(current + 1, choices.length - 1))
    else if (event.key === 'ArrowUp') setChosen(Math.max(current - 1, 0))
    else if (event.key === 'Enter' && choice !== undefined) go(choice)
    else return
    event.preventDefault()
  }
  return (
    <>
      <TextInput
        ref={focus}
        size="md"
        variant="unstyled"
        leftSection={<IconSearch size={16} aria-hidden />}
        placeholder="Pages, actions, ids, recipients, amounts …"
        value={text}
        onChange={({ currentTarget: { value } }) => {
          setText(value)
          setChosen(0)
        }}
        onKeyDown={onKeyDown}
        maxLength={200}
        data-autofocus
        role="combobox"
        aria-label="Search"
        aria-expanded
        aria-controls={`${id}-list`}
        {...(choices.length > 0 && { 'aria-activedescendant': `${id}-${current}` })}
      />
      <div className={classes['list']} role="listbox" id={`${id}-list`} aria-label="Results">
        {choices.map((choice, i) => (
          // The keys belong to the field, which keeps the focus.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
          <div
            key={`${choice.kind} ${choice.to} ${choice.title}`}
            id={`${id}-${i}`}
            role="option"
            tabIndex={-1}
            aria-selected={i === current}
            className={classes['choice']}
            onMouseMove={() => setChosen(i)}
            onClick={() => go(choice)}
          >
            <span className={classes['kind']}>{choice.kind}</span>
            <span className={classes['title']}>{choice.title}</span>
            <span className={classes['detail']}>{choice.detail}</span>
          </div>
        ))}
      </div>
      <Text size="xs" c="dimmed" px="md" py={8} role="status">
        {statusOf({ isFetching, choices: choices.length })} <Kbd size="xs">↑</Kbd>{' '}
        <Kbd size="xs">↓</Kbd> <Kbd size="xs">Enter</Kbd> <Kbd size="xs">Esc</Kbd>
      </Text>
    </>
  )
}

function statusOf({ isFetching, choices }: { isFetching: boolean; choices: number }): string {
  if (isFetching) return 'Searching …'
  return choices === 0 ? 'Nothing found.' : `${choices} found.`
}

/** A line of the palette. */
interface Choice {
  /** `page`, `action`, or the kind of a thing. */
  readonly kind: string
  readonly title: string
  readonly detail: string
  /** An address of the dashboard. */
  readonly to: string
}

const MOST_PAGES = 8

/** What a person may be called: no number and no id. */
const NAME = /^\p{L}[\p{L}@._+-]*$/u

/** What fits the text: things that were found first, then pages and actions, then a search of messages. */
export function choicesOf({
  text,
  pages,
  found,
  searches,
}: {
  text: string
  pages: readonly Page[]
  found: readonly (Choice & { readonly id: string })[]
  /** Whether the user may search messages. */
  searches: boolean
}): Choice[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const fits = ({ title }: Choice) => words.every((word) => title.toLowerCase().includes(word))
  const places = [
    ...pages.map(({ name, title, key }) => ({
      kind: 'page',
      title,
      detail: `g ${key}`,
      to: `/${name}`,
    })),
    ...pages.flatMap(({ actions = [] }) =>
      actions.map(({ title, to }) => ({ kind: 'action', title, detail: '', to })),
    ),
  ]
  const choices: Choice[] = [...found]
  // Not by the text, which may be an amount: a thing's own id leads to all that belongs to it.
  const first = found.find(({ kind }) => kind !== 'file')
  if (first !== undefined && pages.some(({ name }) => name === 'journey')) {
    choices.push({
      kind: 'journey',
      title: `Journey of ${first.title}`,
      detail: 'all that belongs to it, in order',
      to: `/journey?id=${encodeURIComponent(first.id)}`,
    })
  }
  choices.push(...places.filter(fits).slice(0, MOST_PAGES))
  if (!searches || text.length < 2) return choices
  choices.push({
    kind: 'search',
    title: `Messages with “${text}”`,
    detail: 'in ids, keys and payloads',
    to: `/messages?search=${encodeURIComponent(text)}`,
  })
  if (NAME.test(text)) {
    choices.push({
      kind: 'search',
      title: `Actions by ${text}`,
      detail: 'in the audit, by person',
      to: `/audit?actor=${encodeURIComponent(text)}`,
    })
  }
  return choices
}
