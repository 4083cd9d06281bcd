import type { FaultOrder } from '@posthorn/simulators'
import { GRAPH_ERRORS, type GraphError } from './errors.ts'

/** What a recipient's last digits mean. */
export type Magic =
  /** Refused at once, every time or only the first. */
  | { readonly kind: 'refused'; readonly error: GraphError; readonly once: boolean }
  /** Accepted; the webhook says that it failed. */
  | { readonly kind: 'undeliverable'; readonly error: GraphError }
  /** Accepted; then the answer goes wrong. */
  | { readonly kind: 'unanswered'; readonly fault: FaultOrder }

const MAGIC: Readonly<Record<string, Magic>> = {
  '0026': { kind: 'undeliverable', error: GRAPH_ERRORS.undeliverable },
  '0047': { kind: 'refused', error: GRAPH_ERRORS.reEngagement, once: false },
  '0031': { kind: 'refused', error: GRAPH_ERRORS.accountLocked, once: false },
  '0190': { kind: 'refused', error: GRAPH_ERRORS.badToken, once: false },
  // An unknown code: worth another try.
  '0999': {
    kind: 'refused',
    error: { status: 400, code: 139_999, message: 'Not today' },
    once: false,
  },
  '0429': { kind: 'refused', error: GRAPH_ERRORS.throughput, once: true },
  '0056': { kind: 'refused', error: GRAPH_ERRORS.pairLimit, once: true },
  '0500': { kind: 'unanswered', fault: { mode: 'error', status: 500, code: 131_000 } },
  '0408': { kind: 'unanswered', fault: { mode: 'timeout' } },
}

export function magicOf(recipient: string): Magic | undefined {
  return MAGIC[recipient.slice(-4)]
}
