import { sleep } from '@posthorn/engine/internal'
import { describe, expect, it } from 'vitest'
import { repeat, within } from './timing.ts'

describe('repeat', () => {
  it('runs when asked, never twice at once, and not after it was stopped', async () => {
    let runs = 0
    let running = 0
    const loop = repeat(60_000, async () => {
      expect(++running).toBe(1)
      await sleep(5)
      running--
      runs++
    })
    for (let i = 0; i < 10; i++) loop.now()
    await sleep(50)
    expect(runs).toBe(2)
    loop.now()
    await loop.stop()
    const after = runs
    loop.now()
    await sleep(20)
    expect(runs).toBe(after)
  })

  it('runs by itself', async () => {
    let runs = 0
    const loop = repeat(1, async () => void runs++)
    await sleep(50)
    await loop.stop()
    expect(runs).toBeGreaterThan(3)
  })
})

it('does not wait for ever', async () => {
  expect(await within(new Promise(() => undefined), 5, () => 'late')).toBe('late')
  expect(await within(Promise.resolve('done'), 5_000, () => 'late')).toBe('done')
  const thrown = within(new Promise(() => undefined), 5, () => {
    throw new Error('too late')
  })
  await expect(thrown).rejects.toThrow('too late')
})
