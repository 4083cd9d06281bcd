import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../random.ts'
import type { Client } from './client.ts'
import type { World } from './world.ts'

/** What those who put a system under load have. */
export interface LoadContext {
  readonly client: Client
  readonly random: Random
  /** Times as often as usual. */
  readonly rate: number
  readonly world: World
  /** When nothing new is to be begun. */
  readonly over: AbortSignal
}

/** Something that uses a system; resolves when all that it began has been answered. */
export interface Load {
  /** Done before anything goes wrong. */
  prepare?(context: LoadContext): Promise<void>
  run(context: LoadContext): Promise<void>
}

/** Begins a piece of work so often until it is over, and waits for all of them. */
export async function pace(
  perSecond: number,
  over: AbortSignal,
  work: (i: number) => Promise<void>,
): Promise<void> {
  const begun: Promise<void>[] = []
  for (let i = 0; !over.aborted; i += 1) {
    begun.push(work(i))
    await sleep(1_000 / perSecond, undefined, { signal: over }).catch(() => undefined)
  }
  await Promise.all(begun)
}
