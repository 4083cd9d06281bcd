import { useNavigate, useSearch } from '@tanstack/react-router'

/** Reads what an address says of one field; undefined for what makes no sense there. */
export type FilterField<Value extends string = string> = (text: string) => Value | undefined

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
export const moment: FilterField = (value) => {
  const ms = Date.parse(value)
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString()
}

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
  const read = Object.entries(fields).flatMap(([name, field]) => {
    const given = search[name]
    const value = typeof given === 'string' ? field(given) : undefined
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(read) as Values<Of>
}
