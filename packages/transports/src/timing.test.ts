import { sleep } from '@posthorn/engine/operate'
import { describe, expect, it } from 'vitest'
import { backoffMs, createSlots, repeat, within } from './timing.ts'

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

describe('slots', () => {
  it('let so many in, in the order of their coming, also after a failure', async () => {
    const slots = createSlots(2)
    const order: number[] = []
    let most = 0
    let inside = 0
    const results = await Promise.allSettled(
      [0, 1, 2, 3, 4].map((n) =>
        slots.run(async () => {
          most = Math.max(most, ++inside)
          order.push(n)
          await sleep(2)
          inside--
          if (n === 1) throw new Error('no')
        }),
      ),
    )
    expect(most).toBe(2)
    expect(order).toEqual([0, 1, 2, 3, 4])
    expect(results.map(({ status }) => status === 'fulfilled')).toEqual([
      true,
      false,
      true,
      true,
      true,
    ])
  })
})

it('waits 1, 2, 4 … 30 s', () => {
  const backoff = { firstMs: 1_000, maxMs: 30_000 }
  expect([0, 1, 2, 3, 4, 5, 100].map((n) => backoffMs(backoff, n))).toEqual([
    1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000,
  ])
})

it('does not wait for ever', async () => {
  expect(await within(new Promise(() => undefined), 5, () => 'late')).toBe('late')
  expect(await within(Promise.resolve('done'), 5_000, () => 'late')).toBe('done')
  const thrown = within(new Promise(() => undefined), 5, () => {
    throw new Error('too late')
  })
  await expect(thrown).rejects.toThrow('too late')
})
