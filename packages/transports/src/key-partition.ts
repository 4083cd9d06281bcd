const encoder = new TextEncoder()

/** FNV-1a over the key's bytes: any process, and any language, finds the same partition. */
export function partitionOfKey(key: string, partitions: number): number {
  let hash = 0x811c9dc5
  for (const byte of encoder.encode(key)) hash = Math.imul(hash ^ byte, 0x01000193)
  return (hash >>> 0) % partitions
}
