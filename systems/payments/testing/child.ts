import { startTestChild, type TestChild } from '@posthorn/engine/testing'

export interface Child extends TestChild {
  readonly url: string
  /** The most memory it ever had, in MB. */
  peakMb(): Promise<number>
}

/** A server in a process of its own; dead after the test at the latest. */
export async function startChild(
  databaseUrl: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Child> {
  const child = await startTestChild(new URL('./server-process.ts', import.meta.url), {
    env: { CHILD_DATABASE_URL: databaseUrl, PAYMENTS_LOCK_MS: '1000', ...env },
  })
  return {
    ...child,
    url: child.line,
    peakMb: async () => (await child.ask<{ peakMb: number }>('memory')).peakMb,
  }
}

/** The same with a relay at work. */
export const startWebhookChild = (databaseUrl: string) =>
  startChild(databaseUrl, { CHILD_RELAY: 'true', WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' })
