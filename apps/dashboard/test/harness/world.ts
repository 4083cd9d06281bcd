import { randomUUID } from 'node:crypto'
import { expect, vi } from 'vitest'
import type { Dashboard } from './dashboard.ts'

export const patient = { timeout: 60_000 }

/**
 * A view with something on it: [picture, path, a text that appears]. `:key` in a path stands for what
 * the world has under that key.
 */
export type ShownView = readonly [name: string, path: string, text: string]

/** The ids of what is on the pages, by the keys that the views' paths use. */
export type World = Readonly<Record<string, string>>

/** Puts something on every page of a system: `world` in `web/world.ts` of its folder. */
export interface SystemWorld {
  /** Settings that the server needs for it. */
  readonly env?: NodeJS.ProcessEnv
  readonly views: readonly ShownView[]
  fill(calls: WorldCalls): Promise<World>
}

/** The address of a view. */
export function addressIn(world: World, path: string): string {
  return path.replace(/:([a-z]+)(?=\?|$)/gi, (placeholder, name: string) => {
    return world[name] ?? placeholder
  })
}

export type WorldCalls = ReturnType<typeof worldCalls>

/** What a world is filled with. */
export function worldCalls(dashboard: Dashboard) {
  type Made = Record<string, string>
  return {
    dashboard,
    async create(path: string, body: object): Promise<Made> {
      const headers = { 'idempotency-key': randomUUID() }
      return (await dashboard.call(path, { body, headers })) as Made
    },
    async upload(path: string, type: string, body: BodyInit): Promise<Made> {
      const headers = { authorization: `Bearer ${dashboard.token()}`, 'content-type': type }
      const response = await fetch(`${dashboard.url}${path}`, { method: 'POST', headers, body })
      expect(response.status).toBeLessThan(300)
      return (await response.json()) as Made
    },
    /** Waits for the first item of a list, and gives its id. */
    async first(path: string): Promise<string> {
      return vi.waitFor(async () => {
        const { items } = (await dashboard.call(path)) as { items: { id: string }[] }
        expect(items).toHaveLength(1)
        return items[0]?.id ?? ''
      }, patient)
    },
    /** Moves the clock until the thing has the status. */
    async reaches(path: string, status: string): Promise<void> {
      await vi.waitFor(
        async () => {
          await dashboard.call('/sim/clock/advance', { body: { by: '1m' } })
          expect(await dashboard.call(path)).toMatchObject({ status })
        },
        { ...patient, interval: 300 },
      )
    },
  }
}
