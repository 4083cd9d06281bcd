import type { SpoolFile } from '@posthorn/bulk/spool'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ArchiveRejected } from './reasons.ts'

/** Gives exactly that many bytes, valid until the next call; asking behind the end is `CORRUPT`. */
export type Window = (position: number, length: number) => Promise<Buffer>

const WINDOW_BYTES = 262_144
/** Looks from memory between two that let others run. */
const LOOKS_A_TURN = 500

/** Looks at a file mostly forwards in small steps: one read of the disk serves many of them. */
export function windowOn(spool: SpoolFile, signal: AbortSignal | undefined): Window {
  let start = 0
  let bytes: Buffer = Buffer.alloc(0)
  let looks = 0
  return async (position, length) => {
    looks += 1
    if (looks % LOOKS_A_TURN === 0) await nextTurn(undefined, signal ? { signal } : {})
    if (position < start || position + length > start + bytes.length) {
      bytes = await spool.read(position, Math.max(length, WINDOW_BYTES))
      start = position
    }
    if (position + length > start + bytes.length) {
      throw new ArchiveRejected('CORRUPT', 'The archive points behind its own end.')
    }
    return bytes.subarray(position - start, position - start + length)
  }
}
