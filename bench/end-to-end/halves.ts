import { defineInbox } from '@posthorn/engine/inbox'
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

/** Samples whose inbox rows are committed, and when: what the consumer says unasked. */
export interface Handled {
  readonly atMs: number
  readonly samples: readonly number[]
}

/** What a half says when it is asked. */
export interface Usage {
  /** The most memory the process had. */
  readonly peakMb: number
  readonly cpuUs: number
}

/** By one clock for all processes of the machine. */
export const epochMs = (): number => performance.timeOrigin + performance.now()

/** The table of ids that the consumer has done. */
export const INBOX = defineInbox({ table: 'bench.inbox', retention: '30d' })
export const CONSUMER = 'bench'
