import { setTimeout as sleep } from 'node:timers/promises'
import { systemProofs } from './system-proof.ts'
import type { World } from './world.ts'

/** A request to a simulator, as its journal has it. */
export interface Seen {
  readonly id: number
  readonly outcome: string
  readonly headers: Readonly<Record<string, string>>
  readonly verified?: boolean
  readonly messageId?: string
  readonly fault: { readonly effect: boolean } | null
  readonly body: Readonly<Record<string, unknown>> | null
}

/** What is noted of the requests to a simulator; undefined for those that do not matter. */
export interface Witnessing {
  readonly simulator: string
  note(seen: Seen): unknown
}

/** Reads along what arrives outside: the simulators forget the oldest. */
export interface Witness {
  /** What was noted of a simulator's requests, in their order. */
  notes<Note>(simulator: string): readonly Note[]
  /** Reads the rest. */
  close(): Promise<void>
}

const EVERY_MS = 5_000
const PAGE = 1_000

export function startWitness(world: World): Witness {
  const notes = new Map<string, unknown[]>()
  const readers = systemProofs.flatMap(({ witnessing }) => {
    if (!witnessing) return []
    const { simulator, note } = witnessing
    const own: unknown[] = []
    notes.set(simulator, own)
    return reader(world, simulator, (seen) => {
      const noted = note(seen)
      if (noted !== undefined) own.push(noted)
    })
  })
  const over = new AbortController()
  const reading = (async () => {
    while (!over.signal.aborted) {
      await sleep(EVERY_MS, undefined, { signal: over.signal }).catch(() => undefined)
      for (const read of readers) await read()
    }
  })()
  return {
    notes: <Note>(simulator: string) => (notes.get(simulator) ?? []) as Note[],
    async close() {
      over.abort()
      await reading
    },
  }
}

/** Reads what is new and has come to its end, oldest first. */
function reader(world: World, name: string, see: (seen: Seen) => void): () => Promise<void> {
  let upto = 0
  return async () => {
    const fresh: Seen[] = []
    for (let before = ''; ;) {
      const query = `limit=${PAGE}${before && `&before=${before}`}`
      const { items } = await world.read<{ items: Seen[] }>(`/${name}/requests?${query}`)
      fresh.push(...items.filter(({ id }) => id > upto))
      const last = items.at(-1)
      if (!last || last.id <= upto || items.length < PAGE) break
      before = String(last.id)
    }
    fresh.reverse()
    const pending = fresh.findIndex(({ outcome }) => outcome === 'pending')
    const ended = pending < 0 ? fresh : fresh.slice(0, pending)
    ended.forEach(see)
    upto = ended.at(-1)?.id ?? upto
  }
}
