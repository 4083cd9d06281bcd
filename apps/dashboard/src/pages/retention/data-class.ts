import type { paths } from '../../api/schema.d.ts'

export type DataClass =
  paths['/api/v1/retention']['get']['responses']['200']['content']['application/json']['items'][number]

export type Scope = 'organisation' | 'platform'

/** Units in which a time is set, by the letter that the API has for them. */
export const UNITS = { d: 'days', h: 'hours', m: 'minutes' } as const
export type Unit = keyof typeof UNITS

/** A time in parts; undefined for ever. */
export function partsOf(keep: string): { count: number; unit: Unit } | undefined {
  const [, count, unit] = /^(\d+)([dhm])$/.exec(keep) ?? []
  return count === undefined ? undefined : { count: Number(count), unit: unit as Unit }
}

/** `90 days`, `1 hour`, `for ever`. */
export function keepWords(keep: string): string {
  const parts = partsOf(keep)
  if (!parts) return 'for ever'
  const { count, unit } = parts
  if (count === 0) return 'not kept'
  const word = UNITS[unit]
  return `${count.toLocaleString('en-GB')} ${count === 1 ? word.slice(0, -1) : word}`
}
