import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { System } from '@posthorn/systems'
import { evidence } from '@posthorn/systems/evidence'
import { families } from '@posthorn/systems/families'
import { incidents } from '@posthorn/systems/incidents'
import { messagesWith } from '@posthorn/systems/messages'
import { orders } from '@posthorn/systems/orders'
import { enqueueEvent, payments, selectEventDeliveries } from '@posthorn/systems/payments'
import { ConfigurationError } from './configuration.ts'

/** The systems that come with the server. */
const INSTALLED: readonly System[] = [
  orders,
  // The webhooks of payments announce what people wrote, and the results of a file.
  messagesWith({ notify: enqueueEvent }),
  payments,
  evidence({ notify: enqueueEvent, findDeliveries: selectEventDeliveries }),
  families,
  incidents,
]

/** Those, and the ones that the module in POSTHORN_CONFIG exports as `systems`. */
export async function loadSystems(env: NodeJS.ProcessEnv): Promise<readonly System[]> {
  const file = env['POSTHORN_CONFIG']
  if (!file) return INSTALLED
  const { systems } = await importModule(file)
  const own = Array.isArray(systems) && systems.every(isSystem) ? systems : undefined
  if (!own) {
    throw new ConfigurationError([
      `POSTHORN_CONFIG must name a module that exports \`systems\`, an array; "${file}" does not`,
    ])
  }
  return [...INSTALLED, ...own]
}

async function importModule(file: string): Promise<{ systems?: unknown }> {
  try {
    return (await import(pathToFileURL(resolve(file)).href)) as { systems?: unknown }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigurationError([`POSTHORN_CONFIG "${file}" cannot be loaded: ${reason}`])
  }
}

function isSystem(value: unknown): value is System {
  if (typeof value !== 'object' || value === null) return false
  const { name, settings, migrations, open } = value as Partial<System>
  const isNamed = typeof name === 'string' && typeof settings === 'object'
  return isNamed && typeof migrations === 'function' && typeof open === 'function'
}
