import { type TestChild, startTestChild } from '@posthorn/engine/testing'
import type { Part } from './serving.ts'

export interface Child extends TestChild {
  readonly url: string
}

export interface ChildOptions {
  readonly databaseUrl: string
  readonly folder: string
  readonly parts: readonly Part[]
  /** Settings of the system, `KAFKA_BROKERS`, `S3_…`. */
  readonly env?: Readonly<Record<string, string>>
}

/** The system in a process of its own; dead after the test at the latest. */
export async function startChild(options: ChildOptions): Promise<Child> {
  const { databaseUrl, folder, parts, env = {} } = options
  const child = await startTestChild(new URL('./server-process.ts', import.meta.url), {
    env: {
      ...{ CHILD_DATABASE_URL: databaseUrl, CHILD_PARTS: parts.join(), EVIDENCE_FOLDER: folder },
      ...env,
    },
  })
  return { ...child, url: child.line }
}
