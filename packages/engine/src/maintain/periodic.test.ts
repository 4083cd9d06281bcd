import { describe, expect, test } from 'vitest'
import { createBell, everyone } from '../database/bell.ts'
import { silentLog } from '../log.ts'
import { noMetrics } from '../metrics.ts'
import { sleep } from '../sleep.ts'
import { runPeriodically, startPeriodically, type StepResult } from './periodic.ts'

/** A log and metrics that keep what they hear. */
function recordAll() {
  const lines: { level: string; failures: unknown; message: string }[] = []
  const failures: number[] = []
  const at = (level: string) => (details: object, message: string) =>
    void lines.push({ level, failures: (details as { failures?: number }).failures, message })
  return {
    lines,
    failures,
    log: { ...silentLog, info: at('info'), warn: at('warn'), error: at('error') },
    metrics: { ...noMetrics, gauge: (_: string, value: number) => void failures.push(value) },
  }
}

const never = new AbortController().signal

test('a step that has more runs again at once, and one that is done ends the task', async () => {
  const results: StepResult[] = ['more', 'more', 'done']
  const step = async () => results.shift()
  await runPeriodically({ name: 't', everyMs: 3_600_000, step }, { signal: never, log: silentLog })
  expect(results).toEqual([])
})

test('a step that fails is tried again later each time, and louder from the third on', async () => {
  const { lines, failures, log, metrics } = recordAll()
  const startedAt: number[] = []
  const step = async () => {
    startedAt.push(performance.now())
    if (startedAt.length <= 3) throw new Error('the database is away')
    return 'done' as const
  }
  await runPeriodically({ name: 't', everyMs: 1, step }, { signal: never, log, metrics })
  const gaps = startedAt.slice(1).map((at, i) => at - (startedAt[i] as number))
  expect(gaps[1]).toBeGreaterThan((gaps[0] as number) * 1.3)
  expect(gaps[2]).toBeGreaterThan((gaps[1] as number) * 1.3)
  expect(lines).toEqual([
    { level: 'warn', failures: 1, message: 'worker failed; backing off' },
    { level: 'warn', failures: 2, message: 'worker failed; backing off' },
    { level: 'error', failures: 3, message: 'worker failed; backing off' },
    { level: 'info', failures: 3, message: 'worker runs again' },
  ])
  expect(failures).toEqual([0, 1, 2, 3, 0])
})

test('stopping ends every pause and waits for what is under way', async () => {
  let ended = 0
  const steps = {
    sleeping: async () => undefined,
    failing: async () => Promise.reject(new Error('no')),
    working: async (signal: AbortSignal) => {
      await sleep(60_000, signal)
      await sleep(50)
      ended += 1
    },
  }
  const tasks = Object.entries(steps).map(([name, step]) => ({ name, everyMs: 60_000, step }))
  const stop = startPeriodically(tasks, { log: silentLog })
  await sleep(20)
  const asked = performance.now()
  await stop()
  expect(performance.now() - asked).toBeLessThan(10_000)
  expect(ended).toBe(1)
})

describe('a task that finds nothing', () => {
  test('runs ever more rarely, and as often as before once it has found something', async () => {
    const results: StepResult[] = ['idle', 'idle', 'idle', undefined, 'idle', 'done']
    const startedAt: number[] = []
    const step = async () => {
      startedAt.push(performance.now())
      return results.shift()
    }
    const task = { name: 't', everyMs: 50, idleMs: 150, step }
    await runPeriodically(task, { signal: never, log: silentLog })
    const gaps = startedAt.slice(1).map((at, i) => at - (startedAt[i] as number))
    for (const [i, ms] of [50, 100, 150, 50, 50].entries()) {
      expect(gaps[i]).toBeGreaterThan(ms - 5)
      expect(gaps[i]).toBeLessThan(ms + 45)
    }
  })

  test.each(['its own bell', 'the one for everyone'])('runs at once by %s', async (which) => {
    const bell = createBell()
    let left = 5
    let restedMs = 0
    const step = async () => {
      left -= 1
      if (left === 0) restedMs += performance.now()
      if (left !== 1) return left === 0 ? ('done' as const) : ('idle' as const)
      restedMs -= performance.now()
      setTimeout(() => (which === 'its own bell' ? bell : everyone).ring(), 120)
      return 'idle' as const
    }
    const task = { name: 't', everyMs: 100, idleMs: 3_600_000, bell, step }
    await runPeriodically(task, { signal: never, log: silentLog })
    // Without it, eight times its usual time.
    expect(restedMs).toBeLessThan(600)
  })

  test('is rung while it runs, and looks again', async () => {
    const bell = createBell()
    let runs = 0
    const step = async () => {
      runs += 1
      bell.ring()
      return runs === 9 ? ('done' as const) : ('idle' as const)
    }
    const task = { name: 't', everyMs: 1, idleMs: 3_600_000, bell, step }
    await runPeriodically(task, { signal: never, log: silentLog })
  })
})
