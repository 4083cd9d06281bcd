import { TextInput } from '@mantine/core'
import type { Filter } from './use-filter.ts'

interface FilterMomentProps {
  readonly filter: Pick<Filter, 'values' | 'set'>
  /** As in the address. */
  readonly name: string
  readonly label: string
}

/** A moment by the user's own clock; the address has it in UTC. */
export function FilterMoment({ filter, name, label }: FilterMomentProps) {
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
