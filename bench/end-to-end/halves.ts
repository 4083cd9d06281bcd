import { fork } from 'node:child_process'
import { once } from 'node:events'
import { defineInbox } from '@posthorn/engine/inbox'
import { AS_STARTED } from '../kit/child.ts'
import type { OutboxForm } from '../kit/outbox.ts'

/** A child process of `end-to-end`: one half of a way, until its parent lets go of it. */
export interface HalfOrder {
  readonly half: 'relay' | 'consumer' | 'bare producer' | 'bare consumer'
  readonly transport: TransportName
  /** Of the broker; unused with Postgres topics. */
  readonly address: string
  readonly databaseUrl: string
  readonly topic: string
  readonly claims: OutboxForm['claims']
}

export type TransportName = 'kafka' | 'rabbitmq' | 'postgres'

/** What a half says to its parent. */
export type HalfReport =
  | { readonly kind: 'ready' }
  | { readonly kind: 'usage'; readonly peakMb: number; readonly cpuUs: number }
  /** Samples whose inbox rows are committed, and when. */
  | { readonly kind: 'handled'; readonly atMs: number; readonly samples: readonly number[] }

/** By one clock for all processes of the machine. */
export const epochMs = (): number => performance.timeOrigin + performance.now()

/** The table of ids that the consumer has done. */
export const INBOX = defineInbox({ table: 'bench.inbox', retention: '30d' })
export const CONSUMER = 'bench'

/** One half in a process of its own. */
export interface Half {
  usage(): Promise<Usage>
  [Symbol.asyncDispose](): Promise<void>
}

export interface Usage {
  /** The most memory the process had. */
  readonly peakMb: number
  readonly cpuUs: number
}

/** Resolves once it is at work. */
export async function startHalf(
  order: HalfOrder,
  onHandled: (atMs: number, samples: readonly number[]) => void,
): Promise<Half> {
  const child = fork(new URL('half-process.ts', import.meta.url), [JSON.stringify(order)], {
    execArgv: AS_STARTED,
  })
  const exited = once(child, 'exit')
  const ready = Promise.withResolvers<void>()
  let onUsage: (usage: Usage) => void = () => undefined
  child.on('message', (report: HalfReport) => {
    if (report.kind === 'ready') ready.resolve()
    else if (report.kind === 'usage') onUsage(report)
    else onHandled(report.atMs, report.samples)
  })
  const ended = exited.then(() => Promise.reject(new Error(`the ${order.half} ended by itself`)))
  await Promise.race([ready.promise, ended])
  ended.catch(() => undefined)
  return {
    usage() {
      const said = new Promise<Usage>((resolve) => (onUsage = resolve))
      child.send('usage')
      return said
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect()
      await exited
    },
  }
}
