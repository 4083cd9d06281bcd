import type { Transaction } from '@posthorn/engine'
import { insertAudit } from './queries.ts'

/** An entry of the system's own audit. */
export interface AuditEntry {
  readonly org: string
  readonly actor: string
  readonly action: string
  readonly entityType: 'webhook_endpoint' | 'webhook_delivery' | 'portal_token'
  readonly entityId: string
  readonly details?: Readonly<Record<string, unknown>>
}

/** Writes entries in the transaction that made them true, in their order. */
export async function recordAudit(tx: Transaction, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length > 0) await insertAudit(tx, entries)
}
