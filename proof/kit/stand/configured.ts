import type { SystemList } from '@posthorn/server'
import type { System } from '@posthorn/system'
import { systems as configured } from '../../../posthorn.config.ts'

/** The systems of this repository's configuration and one of a proof, for POSTHORN_CONFIG. */
export function withConfigured(own: System): SystemList {
  return (runs) => [...(typeof configured === 'function' ? configured(runs) : configured), own]
}
