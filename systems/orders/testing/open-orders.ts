import type { Log } from '@posthorn/engine'
import type { Pool } from 'pg'
import { createSealing, readSettings, type OpenSystem } from '@posthorn/system'
import { orders } from '../index.ts'

export interface OpenOrdersOptions {
  readonly pool: Pool
  readonly env: Readonly<Record<string, string>>
  readonly log: Log
  baseUrl(): string
}

/** The system as a host opens it, with the settings of an environment. */
export function openOrders({ pool, env, log, baseUrl }: OpenOrdersOptions): OpenSystem {
  const { values, mistakes } = readSettings(orders.settings, { env, production: false })
  if (mistakes.length > 0) throw new Error(mistakes.join('; '))
  return orders.open({
    ...{ pool, log, baseUrl, settings: values },
    production: false,
    sealing: createSealing(['k'.repeat(32)]),
    simulatorAddress: async () => undefined,
  })
}
