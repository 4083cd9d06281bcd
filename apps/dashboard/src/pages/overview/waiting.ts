import type { OutboxItem } from './trouble.ts'

/** How many are not sent yet; two roles may share a word, which counts once. */
export function waitingOf({ roles, counts }: Pick<OutboxItem, 'roles' | 'counts'>): number {
  const words = new Set([roles.ready, roles.claimed, roles.retry].filter((word) => word !== null))
  return [...words].reduce((sum, word) => sum + (counts[word] ?? 0), 0)
}
