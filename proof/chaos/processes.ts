import type { Usage } from '../kit/processes/child.ts'
import type { Fleet } from '../kit/processes/fleet.ts'
import type { Line } from '../kit/ledger.ts'
import { ROLES, type Role } from './stage.ts'

const MEGABYTE = 1024 * 1024

/** What a process may have in hand more than at its start: caches, open connections of its pools. */
const MORE_MEGABYTES = 64
const MORE_FILES = 80
/** What the chart gives to a process; resident memory says more of the load than of a leak. */
const MOST_RESIDENT = 512

export type Fleets = Readonly<Record<Role, Fleet>>

/** The most of each role, over its processes. */
export type RoleUsage = ReadonlyMap<Role, Omit<Usage, 'resources'>>

export async function measureRoles(fleets: Fleets): Promise<RoleUsage> {
  const found = new Map<Role, Omit<Usage, 'resources'>>()
  for (const role of ROLES) {
    const usages = [...(await fleets[role].measure()).values()]
    found.set(role, {
      heapBytes: Math.max(...usages.map(({ heapBytes }) => heapBytes)),
      residentBytes: Math.max(...usages.map(({ residentBytes }) => residentBytes)),
      openFiles: Math.max(...usages.map(({ openFiles }) => openFiles)),
    })
  }
  return found
}

/** Memory and open files of the processes, at the end against the beginning. */
export function processLines(
  fleets: Fleets,
  { before, after }: { before: RoleUsage; after: RoleUsage },
): Line[] {
  return ROLES.flatMap((role) => {
    const [then, now] = [before.get(role), after.get(role)]
    if (!then || !now) return []
    const megabytes = (bytes: number) => Math.round(bytes / MEGABYTE)
    return [
      { name: `${role}: ended by itself at work`, value: crashesOf(fleets[role]), must: 0 },
      { name: `${role}: starts that failed`, value: failedStartsOf(fleets[role]) },
      {
        name: `${role}: megabytes in use, ${megabytes(then.heapBytes)} before`,
        value: megabytes(now.heapBytes),
        atMost: megabytes(then.heapBytes) + MORE_MEGABYTES,
      },
      {
        name: `${role}: megabytes resident, ${megabytes(then.residentBytes)} before`,
        value: megabytes(now.residentBytes),
        atMost: MOST_RESIDENT,
      },
      {
        name: `${role}: open files, ${then.openFiles} before`,
        value: now.openFiles,
        atMost: then.openFiles + MORE_FILES,
      },
    ]
  })
}

/** A poisoned message ends its relay as `kill -9` does; every other end is a bug. */
const KILLED = 137

function crashesOf({ crashes }: Fleet): number {
  return crashes.filter((status) => status !== KILLED).length
}

function failedStartsOf({ exits, crashes }: Fleet): number {
  return exits.length - crashes.length
}
