import type { Queryable } from '@posthorn/engine'
import type { Pool } from 'pg'
import type { Entry } from '../../kit/events/queries.ts'
import type { Target } from '../../kit/events/writer.ts'
import type { Left } from './queries.ts'

/** One of those that deliver the same messages under the same kills. */
export interface Contestant {
  readonly name: string
  readonly version: string
  readonly settings: string
  /** Creates what it needs, and returns what messages are added to. */
  prepare(pool: Pool): Promise<Target>
  /** Begins to handle messages, in a process of its own; returns what ends it in good order. */
  work(options: WorkOptions): Promise<() => Promise<void>>
  /** What has not come to its end. */
  left(db: Queryable): Promise<Left>
  /** What its documentation tells an operator to do for what dead workers hold, where time does not. */
  unlock?(pool: Pool): Promise<void>
}

export interface WorkOptions {
  readonly pool: Pool
  readonly databaseUrl: string
  /** Writes down that the message is being handled. */
  note(entry: Entry): void
}

/** How long the work on a message takes, beside its effect. */
export const WORK_MS = 20
