import { Readable, pipeline } from 'node:stream'
import { crc32, createInflateRaw } from 'node:zlib'
import type { SpoolFile } from '../spool.ts'
import type { PlacedEntry } from './layout.ts'

/** The bytes of an entry are not what the archive says of them. */
export class DamagedEntry extends Error {
  readonly fault: 'packing' | 'longer' | 'shorter' | 'checksum'

  constructor(fault: DamagedEntry['fault'], detail: string, options?: ErrorOptions) {
    super(detail, options)
    this.name = 'DamagedEntry'
    this.fault = fault
  }
}

/**
 * Unpacks an entry. It never gives more bytes than the archive says the entry has, so what was
 * checked against the limits by the directory holds for what is really unpacked; and it only ends
 * well if size and checksum are right.
 */
export async function* unpack(spool: SpoolFile, entry: PlacedEntry): AsyncGenerator<Buffer> {
  let size = 0
  let crc = 0
  for await (const piece of unpackPieces(spool, entry)) {
    size += piece.length
    if (size > entry.size) throw new DamagedEntry('longer', `It has more than ${entry.size} bytes.`)
    crc = crc32(piece, crc)
    yield piece
  }
  if (size < entry.size) {
    throw new DamagedEntry('shorter', `It has ${size} bytes instead of ${entry.size}.`)
  }
  if (crc !== entry.crc) throw new DamagedEntry('checksum', 'Its checksum is wrong.')
}

async function* unpackPieces(spool: SpoolFile, entry: PlacedEntry): AsyncIterable<Buffer> {
  const { dataStart, packedSize, method } = entry
  const packed = spool.stream(dataStart, dataStart + packedSize)
  if (method === 0) return yield* packed
  const inflate = createInflateRaw()
  let broken: unknown
  pipeline(Readable.from(packed, { objectMode: false }), inflate, (error) => (broken = error))
  try {
    yield* inflate
  } catch (error) {
    if (isPackingFault(error))
      throw new DamagedEntry('packing', 'It cannot be unpacked.', { cause: error })
    throw broken ?? error
  } finally {
    inflate.destroy()
  }
  if (inflate.bytesWritten !== packedSize) {
    throw new DamagedEntry('packing', 'It has bytes that do not belong to it.')
  }
}

/** zlib's own complaints; all others are about the local file. */
function isPackingFault(error: unknown): boolean {
  const { code = '' } = error as NodeJS.ErrnoException
  return code.startsWith('Z_')
}
