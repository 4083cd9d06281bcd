import { testDatabase } from '@posthorn/engine/testing'
import { loadSystems } from '@posthorn/server'
import { testServer } from '@posthorn/server/testing'
import { expect, test, vi } from 'vitest'
import { contributionsTo } from './contributions.ts'

// The whole story, on a machine that may be busy with other tests.
vi.setConfig({ testTimeout: 240_000 })

const systems = await loadSystems({})
const server = await testServer(await testDatabase(), { systems })
const PATH = '/api/v1/demo'

interface Story {
  readonly status: string
  readonly steps: readonly { readonly status: string; readonly says: readonly string[] }[]
}

const story = async () => (await server.call(PATH)).body as unknown as Story

test('goes through all systems, twice', async () => {
  const chapters = systems.flatMap(({ demo = [] }) => demo)
  const { status, steps } = await story()
  expect(status).toBe('idle')
  expect(steps).toHaveLength(chapters.flatMap((chapter) => chapter.steps()).length)
  for (const _ of [1, 2]) {
    expect((await server.call(PATH, { method: 'POST' })).status).toBe(202)
    await expect
      .poll(async () => (await story()).status, { timeout: 200_000, interval: 500 })
      .not.toBe('running')
    const played = await story()
    expect(played).toMatchObject({ status: 'completed', error: null })
    expect(played.steps.map((step) => step.status)).toEqual(played.steps.map(() => 'done'))
    const said = played.steps.flatMap(({ says }) => says)
    for (const sentence of (await contributionsTo('demo')).flat()) expect(said).toContain(sentence)
  }
})
