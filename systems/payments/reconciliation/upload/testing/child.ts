import { startTestChild, type TestChild } from '@posthorn/engine/testing'

export interface Child extends TestChild {
  readonly url: string
  /** The most memory it ever had, in MB. */
  peakMb(): Promise<number>
}

/** Uploads in a process of their own; dead after the test at the latest. */
export async function startChild(
  databaseUrl: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Child> {
  const child = await startTestChild(new URL('./server-process.ts', import.meta.url), {
    env: { ...env, CHILD_DATABASE_URL: databaseUrl },
  })
  return {
    ...child,
    url: child.line,
    async peakMb() {
      const { peakMb } = await child.ask<{ peakMb: number }>('memory')
      return peakMb
    },
  }
}
