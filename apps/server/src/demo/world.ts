import type { DemoApi } from './api.ts'

/** Who must be simulated: the story pays, writes and uploads, and none of it may reach a real recipient. */
export const CAST = ['gateway', 'merchant', 'whatsapp', 'documents', 'mail'] as const
export type Actor = (typeof CAST)[number]

export interface Fault {
  readonly mode: 'error' | 'slow'
  readonly status?: number
  readonly code?: string
  readonly times?: number
  readonly delayMs?: number
}

export async function fail(api: DemoApi, actor: Actor, fault: Fault): Promise<void> {
  await api.post(`/sim/${actor}/faults`, { json: fault })
}

/** Lets a simulator answer as it should. */
export async function mend(api: DemoApi, actor: Actor): Promise<void> {
  await api.post(`/sim/${actor}/faults`, { json: { mode: 'ok' } })
}

export async function mendAll(api: DemoApi): Promise<void> {
  for (const actor of CAST) await mend(api, actor)
}

/** Moves the business clock, which wakes every relay. */
export async function advance(api: DemoApi, by: string): Promise<void> {
  await api.post('/sim/clock/advance', { json: { by } })
}
