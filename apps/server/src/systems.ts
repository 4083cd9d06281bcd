import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Outbox } from '@posthorn/engine'
import type { System } from '@posthorn/systems'
import { ConfigurationError } from './configuration.ts'
import { ownOutboxes } from './own-outboxes.ts'
import { SYSTEM_NAMES, type SystemName } from './system-names.ts'

/**
 * Those of the systems that come with the server which POSTHORN_SYSTEMS names, and what the module in
 * POSTHORN_CONFIG exports: `outboxes`, `systems` or both. Without POSTHORN_SYSTEMS all of them, or none
 * beside outboxes of one's own, or where they are not installed.
 */
export async function loadSystems(env: NodeJS.ProcessEnv): Promise<readonly System[]> {
  const own = await loadConfig(env['POSTHORN_CONFIG'])
  const shipped = await loadShipped(env['POSTHORN_SYSTEMS'], own)
  const outboxes = own.outboxes ? [ownOutboxes(own.outboxes)] : []
  return [...shipped, ...outboxes, ...(own.systems ?? [])]
}

interface Config {
  readonly outboxes?: readonly Outbox[]
  readonly systems?: readonly System[]
}

async function loadConfig(file: string | undefined): Promise<Config> {
  if (!file) return {}
  const { outboxes, systems } = await importModule(file)
  if (outboxes === undefined && systems === undefined) {
    throw notRight(file, 'exports `outboxes` or `systems`; it exports neither')
  }
  if (outboxes !== undefined && !isListOf(outboxes, isOutbox)) {
    throw notRight(file, 'exports `outboxes` as a list of what outbox() or defineOutbox() returned')
  }
  if (systems !== undefined && !isListOf(systems, isSystem)) {
    throw notRight(file, 'exports `systems` as a list of what defineSystem() returned')
  }
  return { ...(outboxes && { outboxes }), ...(systems && { systems }) }
}

function notRight(file: string, wanted: string): ConfigurationError {
  return new ConfigurationError([`POSTHORN_CONFIG must name a module that ${wanted}: "${file}"`])
}

async function importModule(file: string): Promise<{ outboxes?: unknown; systems?: unknown }> {
  try {
    return (await import(pathToFileURL(resolve(file)).href)) as object
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigurationError([`POSTHORN_CONFIG "${file}" cannot be loaded: ${reason}`])
  }
}

async function loadShipped(text: string | undefined, { outboxes }: Config): Promise<System[]> {
  const chosen = namesIn(text || (outboxes ? 'none' : 'all'))
  try {
    return await Promise.all(chosen.map((name) => SHIPPED[name](chosen)))
  } catch (error) {
    if (!isMissing(error)) throw error
    if (!text) return []
    throw new ConfigurationError([
      `POSTHORN_SYSTEMS names ${chosen.join(', ')}, which this installation does not have`,
    ])
  }
}

function namesIn(text: string): readonly SystemName[] {
  if (text === 'none') return []
  if (text === 'all') return SYSTEM_NAMES
  const names = text.split(',').map((name) => name.trim())
  const unknown = names.filter((name) => !SYSTEM_NAMES.includes(name as SystemName))
  if (unknown.length > 0) {
    throw new ConfigurationError([
      `POSTHORN_SYSTEMS must be all, none or some of ${SYSTEM_NAMES.join(', ')}, not "${unknown.join(', ')}"`,
    ])
  }
  return SYSTEM_NAMES.filter((name) => names.includes(name))
}

/** The webhooks of payments announce what people wrote, and the results of a file. */
const SHIPPED: Readonly<Record<SystemName, (chosen: readonly SystemName[]) => Promise<System>>> = {
  orders: async () => (await import('@posthorn/systems/orders')).orders,
  async messages(chosen) {
    const { messages, messagesWith } = await import('@posthorn/systems/messages')
    if (!chosen.includes('payments')) return messages
    const { enqueueEvent: notify } = await import('@posthorn/systems/payments')
    return messagesWith({ notify })
  },
  payments: async () => (await import('@posthorn/systems/payments')).payments,
  async evidence(chosen) {
    const { evidence } = await import('@posthorn/systems/evidence')
    if (!chosen.includes('payments')) return evidence({ notify: async () => undefined })
    const { enqueueEvent: notify, selectEventDeliveries: findDeliveries } =
      await import('@posthorn/systems/payments')
    return evidence({ notify, findDeliveries })
  },
  families: async () => (await import('@posthorn/systems/families')).families,
  incidents: async () => (await import('@posthorn/systems/incidents')).incidents,
}

/** The published package has what a system is made of, and none of these. */
function isMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'ERR_PACKAGE_PATH_NOT_EXPORTED'
}

function isListOf<Item>(value: unknown, isItem: (item: unknown) => item is Item): value is Item[] {
  return Array.isArray(value) && value.every(isItem)
}

function isOutbox(value: unknown): value is Outbox {
  if (typeof value !== 'object' || value === null) return false
  const { name, statements } = value as Partial<Outbox>
  return typeof name === 'string' && typeof statements === 'object'
}

function isSystem(value: unknown): value is System {
  if (typeof value !== 'object' || value === null) return false
  const { name, settings, migrations, open } = value as Partial<System>
  const isNamed = typeof name === 'string' && typeof settings === 'object'
  return isNamed && typeof migrations === 'function' && typeof open === 'function'
}
