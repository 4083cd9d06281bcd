import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Answered, Asked } from './client-process.ts'

/** What a request cost the process that answered it. */
export interface Measured extends Answered {
  /** Processor time of the thread that answers. */
  readonly cpuMs: number
  /** The longest time for which it did nothing else. */
  readonly blockMs: number
}

/** A request is measured again where it blocked for so long: the machine may have been busy. */
const DOUBTFUL_MS = 50
const TRIES = 3

export interface Gauge extends AsyncDisposable {
  ask(asked: Asked): Promise<Answered>
  measure(asked: Asked): Promise<Measured>
}

/** Measures what requests cost this process, whose server they go to. */
export function openGauge(): Gauge {
  const client = new Worker(new URL('./client-process.ts', import.meta.url))
  const waiting = new Map<number, (answered: Answered) => void>()
  let asks = 0
  client.on('message', ({ n, answered }: { n: number; answered: Answered }) => {
    waiting.get(n)?.(answered)
    waiting.delete(n)
  })
  const ask = (asked: Asked) => {
    const { promise, resolve } = Promise.withResolvers<Answered>()
    asks += 1
    waiting.set(asks, resolve)
    client.postMessage({ n: asks, asked })
    return promise
  }
  const measureOnce = async (asked: Asked): Promise<Measured> => {
    const delays = monitorEventLoopDelay({ resolution: 1 })
    delays.enable()
    // The first sample only starts the clock.
    await sleep(3)
    delays.reset()
    const cpu = process.threadCpuUsage()
    const answered = await ask(asked)
    // What is left behind by the answer counts too.
    await sleep(5)
    const { user, system } = process.threadCpuUsage(cpu)
    delays.disable()
    const cpuMs = (user + system) / 1_000
    // Longer than it worked it did not block: then the machine was busy.
    return { ...answered, cpuMs, blockMs: Math.min(delays.max / 1_000_000, cpuMs) }
  }
  return {
    ask,
    async measure(asked) {
      let best = await measureOnce(asked)
      for (let tries = 1; tries < TRIES && best.blockMs > DOUBTFUL_MS; tries += 1) {
        const again = await measureOnce(asked)
        if (again.blockMs < best.blockMs) best = again
      }
      return best
    },
    [Symbol.asyncDispose]: async () => void (await client.terminate()),
  }
}
