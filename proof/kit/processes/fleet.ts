import { setTimeout as sleep } from 'node:timers/promises'
import { startChild, type Child, type Report, type Usage } from './child.ts'

export interface FleetOptions {
  readonly program: URL
  /** `relay` makes `relay-0`, `relay-1` …; each life of one has a number of its own: `relay-0.3`. */
  readonly name: string
  readonly size: number
  readonly folder: string
  /** Of Node. */
  readonly flags?: readonly string[]
  /** For all of them, or for the one at a place. */
  readonly settings: object | ((place: number) => object)
}

/** A member that does nothing until it is resumed. */
export interface Suspended {
  readonly name: string
  resume(): void
}

/** Children that are started again whenever one of them ends, as a supervisor would. */
export interface Fleet {
  readonly name: string
  readonly size: number
  /** Resolves when all have said that they work. */
  readonly ready: Promise<void>
  /** Claims that were gone when a relay came to settle them. */
  readonly lostClaims: number
  /** Exit statuses of those that ended without being killed by us. */
  readonly exits: readonly number[]
  /** Those of them that had said before that they work. */
  readonly crashes: readonly number[]
  /** `kill -9` of the member at that place; returns the name it had. */
  kill(place: number): Promise<string>
  suspend(place: number): Suspended
  /** Resolves when the members of now have said that they work; rejects where one is given up. */
  settled(): Promise<void>
  /** What each member has in hand now, by its name. */
  measure(): Promise<ReadonlyMap<string, Usage>>
  /** Of the members of now. */
  pids(): readonly number[]
  stop(): Promise<void>
}

/** Before a member that ended by itself is started again. */
const RESPAWN_MS = 200

/** More ends in a row than this are no accident: the program does not run at all. */
const MAX_EXITS = 100

export function startFleet(options: FleetOptions): Fleet {
  const { program, name, size, folder, flags = [], settings } = options
  const members: Child[] = []
  const exits: number[] = []
  const crashes: number[] = []
  const killed = new Set<Child>()
  const working = new Set<Child>()
  const lives = Array.from({ length: size }, () => 0)
  let failedStarts = 0
  let isGivenUp = false
  let lostClaims = 0
  let stopping = false

  const start = (place: number): Child => {
    lives[place] = (lives[place] ?? 0) + 1
    const life = `${name}-${place}.${lives[place]}`
    const onReport = (report: Report) => {
      if (report.kind === 'lost') lostClaims += report.claims
      if (report.kind === 'ready') {
        working.add(child)
        failedStarts = 0
      }
    }
    const own = typeof settings === 'function' ? settings(place) : settings
    const child = startChild(program, { name: life, folder, settings: own, flags, onReport })
    members[place] = child
    void replace(place, child)
    return child
  }
  const replace = async (place: number, child: Child): Promise<void> => {
    const status = await child.ended
    if (stopping) return
    const hadWorked = working.delete(child)
    if (!killed.has(child)) {
      exits.push(status)
      if (hadWorked) crashes.push(status)
      failedStarts += 1
      if (failedStarts > MAX_EXITS) {
        isGivenUp = true
        return
      }
      await sleep(RESPAWN_MS)
    }
    if (!stopping) start(place)
  }
  const memberAt = (place: number): Child => {
    const child = members[place % size]
    if (!child) throw new Error(`${name} has no member ${place}`)
    return child
  }
  const ready = Promise.all(Array.from({ length: size }, (_, place) => start(place).ready))

  return {
    name,
    size,
    ready: ready.then(() => undefined),
    get lostClaims() {
      return lostClaims
    },
    exits,
    crashes,
    async kill(place) {
      const child = memberAt(place)
      killed.add(child)
      await child.kill()
      return child.name
    },
    suspend(place) {
      const child = memberAt(place)
      child.suspend()
      return { name: child.name, resume: child.resume }
    },
    async settled() {
      const isStarting = () => !stopping && members.some((member) => !working.has(member))
      while (isStarting()) {
        if (isGivenUp) throw new Error(`${name} does not start any more: see its log`)
        await sleep(RESPAWN_MS)
      }
    },
    async measure() {
      const found = await Promise.all(
        members.map(async (member) => [member.name, await member.measure()] as const),
      )
      return new Map(found.flatMap(([each, usage]) => (usage ? [[each, usage]] : [])))
    },
    pids: () => members.flatMap(({ pid }) => pid ?? []),
    async stop() {
      stopping = true
      await Promise.all(members.map((member) => member.stop()))
    },
  }
}
