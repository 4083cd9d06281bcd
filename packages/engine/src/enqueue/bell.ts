/** What a ring says: `ring` means committed rows are there, `arm` means they may appear soon. */
export type Ring = 'ring' | 'arm'

/**
 * Tells the relays and notifiers of this process that an outbox has something new. It carries no
 * data and may be lost: the relay's slow poll alone is enough.
 */
export interface Bell {
  ring(): void
  arm(): void
  /** Returns the function that stops listening. */
  listen(heard: (ring: Ring) => void): () => void
}

export function createBell(): Bell {
  const listeners = new Set<(ring: Ring) => void>()
  const tell = (ring: Ring) => listeners.forEach((heard) => heard(ring))
  return {
    ring: () => tell('ring'),
    arm: () => tell('arm'),
    listen(heard) {
      listeners.add(heard)
      return () => void listeners.delete(heard)
    },
  }
}
