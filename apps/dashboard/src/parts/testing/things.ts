import { ROLE_LOOKS, type StateRole } from '../../states/role.ts'
import type { ListPage } from '../table/list.ts'

export interface Thing {
  readonly id: string
  readonly name: string
  readonly role: StateRole
  readonly minor: number
}

const ROLES = Object.keys(ROLE_LOOKS) as StateRole[]

const THINGS: readonly Thing[] = Array.from({ length: 100_000 }, (_, i) => ({
  id: `thing-${i}`,
  name: `The ${i}th thing, with a name that is rather long`,
  role: ROLES[i % ROLES.length] ?? 'ready',
  minor: i * 7,
}))

/** The first page is short, the second has all the rest. */
const FIRST = 200

export async function readThings(
  { search = '', role }: { readonly search?: string; readonly role?: string },
  cursor: string | undefined,
): Promise<ListPage<Thing>> {
  if (search === 'trouble') throw new Error('There is trouble.')
  const found = THINGS.filter(
    (thing) => thing.id.includes(search) && (role === undefined || thing.role === role),
  )
  if (cursor !== undefined) return { items: found.slice(Number(cursor)), nextCursor: null }
  const isAll = found.length <= FIRST
  return { items: found.slice(0, FIRST), nextCursor: isAll ? null : String(FIRST) }
}
