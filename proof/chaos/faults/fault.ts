import type { Random } from '../../kit/random.ts'
import type { Outbox } from '@posthorn/engine'
import { pause } from '../../kit/waiting.ts'
import { ROLES, type Member, type Stage } from '../stage.ts'

/** Something that goes wrong now and then. */
export interface Fault {
  readonly name: string
  /** How often it is drawn, compared with the others. */
  readonly weight: number
  /** Draws whom it strikes and for how long. */
  plan(random: Random, size: Size): Strike
}

/** What there is to be struck. */
export interface Size {
  /** Processes of each role. */
  readonly processes: number
  /** Of the whole run. */
  readonly durationMs: number
  /** Of all systems. */
  readonly outboxes: readonly Outbox[]
}

/** A fault as it will happen. */
export interface Strike {
  /** What the log says. */
  readonly text: string
  /** What it strikes or needs whole; of two strikes at one thing the second waits for the first. */
  readonly targets: readonly string[]
  /** Resolves when what was broken is whole again. */
  run(stage: Stage): Promise<void>
}

export function drawMember(random: Random, { processes }: Size): Member {
  return { role: draw(random, ROLES), place: random.below(processes) }
}

export function draw<Item>(random: Random, items: readonly Item[]): Item {
  return items[random.below(items.length)] as Item
}

/** A whole number of milliseconds. */
export function drawMs(random: Random, low: number, high: number): number {
  return Math.round(random.between(low, high))
}

export function inSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}

/** Leaves something broken for a while, and mends it in any case. */
export async function holdFor(
  ms: number,
  signal: AbortSignal,
  mend: () => void | Promise<unknown>,
): Promise<void> {
  try {
    await pause(ms, signal)
  } finally {
    await mend()
  }
}
