import { Button, Group, Select, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconAdjustments, IconFilterOff, IconSearch } from '@tabler/icons-react'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { parseMoney, plainMoney } from '../../format/money.ts'

interface FilterBarProps {
  readonly filter: AnyFilter
  readonly fields: Fields
  /** Shown next to the fields. */
  readonly children?: ReactNode
}

/**
 * What narrows a list, bound to the address; `/` comes to its first field. Rare fields come on demand,
 * or when one of them is set.
 */
export function FilterBar({ filter, fields, children }: FilterBarProps) {
  const [isWhole, setIsWhole] = useState(false)
  const all = Object.entries(fields).flatMap(([name, { look }]) => (look ? [{ name, look }] : []))
  const rare = all.filter(({ look }) => look.rare)
  const usual = all.filter(({ look }) => !look.rare)
  const showsRare = isWhole || rare.some(({ name }) => filter.values[name] !== undefined)
  return (
    <Group gap="xs" align="flex-end" component="search">
      {[...usual, ...(showsRare ? rare : [])].map(({ name, look }) => (
        <FieldOf key={name} {...{ filter, name, look }} />
      ))}
      {rare.length > 0 && !showsRare && (
        <Button
          variant="default"
          leftSection={<IconAdjustments size={14} aria-hidden />}
          onClick={() => setIsWhole(true)}
        >
          More filters
        </Button>
      )}
      {children}
      {filter.isSet && (
        <Button
          variant="subtle"
          leftSection={<IconFilterOff size={14} aria-hidden />}
          onClick={filter.clear}
        >
          Clear filters
        </Button>
      )}
    </Group>
  )
}

type AnyFilter = Pick<Filter, 'values' | 'isSet' | 'set' | 'clear'>

interface FilterFieldProps {
  readonly filter: AnyFilter
  /** As in the address. */
  readonly name: string
  readonly label: string
}

const TYPING_MS = 300

interface FilterTextProps extends FilterFieldProps {
  /** What is missing or wrong. */
  readonly hint?: string
  readonly isDisabled?: boolean
}

/** A field to type in; the list follows when one stops for a moment. */
function FilterText({ filter, name, label, hint = '', isDisabled = false }: FilterTextProps) {
  const known = filter.values[name] ?? ''
  const [typed, setTyped] = useState(known)
  const [seen, setSeen] = useState(known)
  const [sent, setSent] = useState(known)
  const send = useDebouncedCallback((value: string) => {
    setSent(value.trim())
    filter.set({ [name]: value.trim() })
  }, TYPING_MS)
  if (known !== seen) {
    setSeen(known)
    // Changed by other means, by Back or by clearing all fields; an echo must not undo newer letters.
    if (known !== sent) setTyped(known)
    setSent(known)
  }
  return (
    <TextInput
      data-filter
      label={label}
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value)
        send(currentTarget.value)
      }}
      leftSection={<IconSearch size={14} aria-hidden />}
      maxLength={500}
      placeholder={hint}
      error={hint !== '' && typed !== ''}
      disabled={isDisabled}
      w={{ base: '100%', xs: 220 }}
    />
  )
}

/** An amount as people write it, `12.50`, in the currency of the filter. */
function FilterMoney(props: FilterFieldProps) {
  const { currency } = props.filter.values
  const typed = props.filter.values[props.name]
  if (currency === undefined) {
    return <FilterText {...props} hint="Choose a currency first" isDisabled />
  }
  const isWrong = typed !== undefined && parseMoney(typed, currency) === undefined
  const example = plainMoney(100, currency)
  return (
    <FilterText
      {...props}
      label={isWrong ? `${props.label}: write ${example}` : `${props.label} (${currency})`}
      {...(isWrong && { hint: `write ${example}` })}
    />
  )
}

interface FilterSelectProps extends FilterFieldProps {
  readonly options: readonly Option<string>[]
}

/** A field to choose from; nothing chosen means all. */
function FilterSelect({ filter, name, label, options }: FilterSelectProps) {
  const data = options.map((each) =>
    typeof each === 'string' ? { value: each, label: each } : each,
  )
  return (
    <Select
      label={label}
      placeholder="all"
      data={data}
      value={filter.values[name] ?? null}
      onChange={(value) => filter.set({ [name]: value ?? undefined })}
      searchable={options.length > 8}
      clearable
      // A long outbox name and the cross that clears it.
      w={{ base: '100%', xs: data.some((each) => each.label.length > 16) ? 250 : 170 }}
    />
  )
}

/** A moment by the user's own clock; the address has it in UTC. */
function FilterMoment({ filter, name, label }: FilterFieldProps) {
  const known = filter.values[name]
  return (
    <TextInput
      type="datetime-local"
      label={label}
      value={known === undefined ? '' : localOf(known)}
      onChange={({ currentTarget }) => filter.set({ [name]: momentOf(currentTarget.value) })}
      w={{ base: '100%', xs: 190 }}
    />
  )
}

/** As such a field writes a moment: `2026-11-15T18:05`. */
export function localOf(moment: string): string {
  const at = new Date(moment)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** Undefined for a field that is empty or half filled. */
export function momentOf(local: string): string | undefined {
  const ms = Date.parse(local)
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString()
}

/** How a field of a filter looks. */
interface FilterLook {
  readonly label: string
  readonly as: 'text' | 'choice' | 'moment' | 'money'
  readonly options?: FilterSelectProps['options']
  /** Shown on demand, and when it is set. */
  readonly rare?: true
}

/** Reads what an address says of one field; undefined for what makes no sense there. */
export interface FilterField<Value extends string = string> {
  (text: string): Value | undefined
  /** Left out for what only an address says. */
  readonly look?: FilterLook
}

type Rare = Pick<FilterLook, 'rare'>
type Option<Word> = Word | { readonly value: Word; readonly label: string }

function looking<Word extends string>(
  read: (text: string) => Word | undefined,
  look: FilterLook,
): FilterField<Word> {
  return Object.assign((value: string) => read(value), { look })
}

/** Fields of a filter with their labels, in the order in which they are shown. */
export const field = {
  text: (label: string, more: Rare = {}) => looking(text, { label, as: 'text', ...more }),
  /** One of these words; nothing chosen means all. */
  choice: <const Word extends string>(
    label: string,
    options: readonly Option<Word>[],
    more: Rare = {},
  ) => {
    const words = options.map((each) => (typeof each === 'string' ? each : each.value))
    return looking(oneOf(words), { label, as: 'choice', options, ...more })
  },
  /** Any word, with those that are known to choose from. */
  known: (label: string, options: FilterSelectProps['options']) =>
    looking(text, { label, as: 'choice', options }),
  moment: (label: string, more: Rare = {}) => looking(moment, { label, as: 'moment', ...more }),
  /** An amount in the currency of the filter. */
  money: (label: string, more: Rare = {}) => looking(text, { label, as: 'money', ...more }),
  /** Text with its own reading. */
  own: (label: string, read: (text: string) => string | undefined, more: Rare = {}) =>
    looking(read, { label, as: 'text', ...more }),
}

function FieldOf({ filter, name, look }: Omit<FilterFieldProps, 'label'> & { look: FilterLook }) {
  const { label, as, options = [] } = look
  const given = { filter, name, label }
  if (as === 'choice') return <FilterSelect {...given} options={options} />
  if (as === 'moment') return <FilterMoment {...given} />
  return as === 'money' ? <FilterMoney {...given} /> : <FilterText {...given} />
}

export type Fields = Readonly<Record<string, FilterField>>
export type Values<Of extends Fields> = {
  readonly [Name in keyof Of]?: Exclude<ReturnType<Of[Name]>, undefined>
}

export interface Filter<Of extends Fields = Fields> {
  readonly values: Values<Of>
  readonly isSet: boolean
  /** Changes some fields, undefined or empty forgets one. */
  set(change: { readonly [Name in keyof Of]?: string | undefined }): void
  clear(): void
}

const MOST_CHARACTERS = 500

/** Any text that is not too long. */
export const text: FilterField = (value) =>
  value.trim() === '' || value.length > MOST_CHARACTERS ? undefined : value.trim()

/** One of these words. */
export function oneOf<const Word extends string>(words: readonly Word[]): FilterField<Word> {
  return (value) => words.find((word) => word === value)
}

/** A moment as `2026-11-15T17:00:00Z`. */
export const moment: FilterField = momentOf

/** The fields of a filter as the address has them; what is wrong there is as if it were not. */
export function useFilter<const Of extends Fields>(fields: Of): Filter<Of> {
  const search = useSearch({ strict: false }) as Record<string, unknown>
  const navigate = useNavigate()
  const values = valuesIn(search, fields)
  const go = (change: object) =>
    void navigate({
      to: '.',
      // Typing is not a step that Back should undo letter by letter.
      replace: true,
      resetScroll: false,
      search: (before: object) => ({ ...before, ...change }),
    } as never)
  return {
    values,
    isSet: Object.keys(values).length > 0,
    set: go,
    clear: () => go(Object.fromEntries(Object.keys(fields).map((name) => [name, undefined]))),
  }
}

export function valuesIn<Of extends Fields>(
  search: Readonly<Record<string, unknown>>,
  fields: Of,
): Values<Of> {
  const found = Object.entries(fields).flatMap(([name, read]) => {
    const given = search[name]
    const value = typeof given === 'string' ? read(given) : undefined
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(found) as Values<Of>
}
