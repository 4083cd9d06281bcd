import type { Outbox } from '@posthorn/engine'

/** A definition as data, as given to `defineOutbox` and with every default written out. */
export function definitionOf(outbox: Outbox): Record<string, unknown> {
  const { statements: _statements, bell: _bell, message: _message, ...data } = outbox
  const { destination, upcasters, audit } = outbox
  return {
    ...data,
    destination: typeof destination === 'function' ? 'by row' : destination,
    upcasters: Object.keys(upcasters),
    audit: { record: audit.record, actor: audit.actor },
  }
}
