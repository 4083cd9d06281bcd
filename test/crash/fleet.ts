import { setTimeout as sleep } from 'node:timers/promises'
import { startChild, type Child, type Report } from './child.ts'

export interface FleetOptions {
  readonly program: `${string}-process.ts`
  /** `relay` makes `relay-0`, `relay-1` …; each life of one has a number of its own: `relay-0.3`. */
  readonly name: string
  readonly size: number
  readonly folder: string
  readonly settings: object
}

/** Children that are started again whenever one of them ends, as a supervisor would. */
export interface Fleet {
  /** Resolves when all have said that they work. */
  readonly ready: Promise<void>
  /** Claims that were gone when a relay came to settle them. */
  readonly lostClaims: number
  /** Exit statuses of those that ended without being killed by us. */
  readonly exits: readonly number[]
  /** `kill -9` of the member at that place; returns the name it had. */
  kill(place: number): Promise<string>
  stop(): Promise<void>
}

/** Before a member that ended by itself is started again. */
const RESPAWN_MS = 200

/** More ends than this are no accident: the program does not run at all. */
const MAX_EXITS = 100

export function startFleet({ program, name, size, folder, settings }: FleetOptions): Fleet {
  const members: Child[] = []
  const exits: number[] = []
  const killed = new Set<Child>()
  const lives = Array.from({ length: size }, () => 0)
  let lostClaims = 0
  let stopping = false

  const onReport = (report: Report) => {
    if (report.kind === 'lost') lostClaims += report.claims
  }
  const start = (place: number): Child => {
    lives[place] = (lives[place] ?? 0) + 1
    const life = `${name}-${place}.${lives[place]}`
    const child = startChild(program, { name: life, folder, settings, onReport })
    members[place] = child
    void replace(place, child)
    return child
  }
  const replace = async (place: number, child: Child): Promise<void> => {
    const status = await child.ended
    if (stopping) return
    if (!killed.has(child)) {
      exits.push(status)
      if (exits.length > MAX_EXITS) return
      await sleep(RESPAWN_MS)
    }
    if (!stopping) start(place)
  }
  const ready = Promise.all(Array.from({ length: size }, (_, place) => start(place).ready))

  return {
    ready: ready.then(() => undefined),
    get lostClaims() {
      return lostClaims
    },
    exits,
    async kill(place) {
      const child = members[place % size]
      if (!child) throw new Error(`${name} has no member ${place}`)
      killed.add(child)
      await child.kill()
      return child.name
    },
    async stop() {
      stopping = true
      await Promise.all(members.map((member) => member.stop()))
    },
  }
}
