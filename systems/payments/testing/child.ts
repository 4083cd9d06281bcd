import { startTestChild, type TestChild } from '@posthorn/engine/testing'

export interface Child extends TestChild {
  readonly url: string
}

/** Payments in a process of their own; dead after the test at the latest. */
export async function startChild(options: {
  readonly databaseUrl: string
  readonly gatewayUrl: string
  /** Its lock on a key is three times that and a second. */
  readonly gatewayTimeoutMs?: number
}): Promise<Child> {
  const child = await startTestChild(new URL('./server-process.ts', import.meta.url), {
    env: {
      CHILD_DATABASE_URL: options.databaseUrl,
      CHILD_GATEWAY_URL: options.gatewayUrl,
      CHILD_GATEWAY_TIMEOUT_MS: String(options.gatewayTimeoutMs ?? 20_000),
    },
  })
  return { ...child, url: child.line }
}

/** Webhooks in a process of their own, their relay at work; dead after the test at the latest. */
export async function startWebhookChild(databaseUrl: string): Promise<Child> {
  const child = await startTestChild(new URL('./webhook-process.ts', import.meta.url), {
    env: { CHILD_DATABASE_URL: databaseUrl },
  })
  return { ...child, url: child.line }
}
