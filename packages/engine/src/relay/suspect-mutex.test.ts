import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { SuspectMutex } from './suspect-mutex.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Work that ends when it is said to. */
function gate() {
  let open = () => {}
  const work = new Promise<void>((resolve) => (open = resolve))
  return { work: () => work, open: () => open() }
}

const never = () => expect.unreachable('nothing else is alone')

/** Says what happened, in its order. */
function witness() {
  const seen: string[] = []
  return { seen, note: (what: string) => async () => void seen.push(what) }
}

describe('a suspect', () => {
  test('is tried once the batches under way have ended', async () => {
    const mutex = new SuspectMutex()
    const { seen, note } = witness()
    const batch = gate()
    const sharing = mutex.share(batch.work).then(note('batch ended'))
    const alone = mutex.alone(async () => {
      await mutex.quieten()
      seen.push('suspect')
    }, never)
    await vi.advanceTimersByTimeAsync(100)
    expect(seen).toEqual([])
    batch.open()
    await Promise.all([sharing, alone])
    expect(seen.toSorted()).toEqual(['batch ended', 'suspect'])
  })

  test('that takes minutes keeps the next suspect waiting for seconds only', async () => {
    const mutex = new SuspectMutex()
    const { seen, note } = witness()
    const long = gate()
    const first = mutex.alone(long.work, never).then(note('long one ended'))
    const again = () => void mutex.alone(note('next suspect'), never)
    expect(await mutex.alone(note('too early'), again)).toBeUndefined()
    await vi.advanceTimersByTimeAsync(4_900)
    expect(seen).toEqual([])
    await vi.advanceTimersByTimeAsync(200)
    expect(seen).toEqual(['next suspect'])
    long.open()
    await first
    expect(seen).toEqual(['next suspect', 'long one ended'])
  })

  test('keeps new batches waiting until it has ended', async () => {
    const mutex = new SuspectMutex()
    const { seen, note } = witness()
    const suspect = gate()
    const alone = mutex.alone(async () => {
      await mutex.quieten()
      await suspect.work()
      seen.push('suspect ended')
    }, never)
    await vi.advanceTimersByTimeAsync(1)
    const sharing = mutex.share(note('batch'))
    await vi.advanceTimersByTimeAsync(100)
    expect(seen).toEqual([])
    suspect.open()
    await Promise.all([alone, sharing])
    expect(seen).toEqual(['suspect ended', 'batch'])
  })

  test('does not wait for a batch that takes its time', async () => {
    const mutex = new SuspectMutex()
    const { seen, note } = witness()
    const batch = gate()
    const sharing = mutex.share(batch.work)
    const alone = mutex.alone(async () => {
      await mutex.quieten()
      await note('suspect')()
    }, never)
    await vi.advanceTimersByTimeAsync(300)
    expect(seen).toEqual(['suspect'])
    batch.open()
    await Promise.all([sharing, alone])
  })

  test('that takes its time does not stop the batches', async () => {
    const mutex = new SuspectMutex()
    const { seen, note } = witness()
    const suspect = gate()
    const alone = mutex.alone(async () => {
      await mutex.quieten()
      await suspect.work()
    }, never)
    await vi.advanceTimersByTimeAsync(1)
    const sharing = mutex.share(note('batch'))
    await vi.advanceTimersByTimeAsync(300)
    expect(seen).toEqual(['batch'])
    suspect.open()
    await Promise.all([alone, sharing])
  })

  test('in a long row of them lets batches in between', async () => {
    const mutex = new SuspectMutex()
    const { seen, note } = witness()
    const alone = mutex.alone(async () => {
      for (let n = 1; n <= 6; n += 1) {
        await mutex.quieten()
        seen.push(`suspect ${n}`)
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    }, never)
    await vi.advanceTimersByTimeAsync(1)
    const sharing = mutex.share(note('batch'))
    await vi.advanceTimersByTimeAsync(1_000)
    await Promise.all([alone, sharing])
    expect(seen.indexOf('batch')).toBe(3)
  })
})
