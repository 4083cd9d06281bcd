import type { Log, Transport } from '@posthorn/engine'
import type { Configuration, Opened } from '@posthorn/server'
import { openBrokers } from '@posthorn/server'
import type { Pool } from 'pg'
import { explain } from '../trouble.ts'
import type { Finding } from './finding.ts'
import { fail, ok } from './finding.ts'

const PATIENCE_MS = 3_000

export interface BrokerCheck {
  readonly configuration: Configuration
  readonly transports: Opened['transports']
  readonly pool: Pool
  readonly log: Log
}

/** Whether the brokers that are configured, and the systems' own destinations, let us in. */
export async function checkBrokers({ transports, ...options }: BrokerCheck): Promise<Finding[]> {
  const brokers = openBrokers(options)
  try {
    const all: Record<string, Transport> = { ...brokers.byName, ...transports }
    const checks = Object.entries(all).flatMap(([name, transport]) =>
      transport.ping
        ? [reach(name, brokers.where[name] ?? 'it', () => within(transport.ping?.()))]
        : [],
    )
    const findings = await Promise.all(checks)
    if (findings.length > 0) return findings
    return [ok('brokers', 'none is configured: topics are in PostgreSQL')]
  } finally {
    await brokers.close()
  }
}

async function reach(name: string, where: string, ping: () => Promise<unknown>): Promise<Finding> {
  try {
    await ping()
    return ok(name, `${where} can be reached`)
  } catch (error) {
    const todo = 'see that it runs, and that its address is right'
    return fail(name, `${where} cannot be reached: ${explain(error)}`, todo)
  }
}

async function within(work: Promise<unknown> | undefined): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${PATIENCE_MS} ms`)), PATIENCE_MS)
  })
  try {
    await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
