import { crc32 } from 'node:zlib'

const SIGNATURE = { file: 0x04034b50, entry: 0x02014b50, end: 0x06054b50 } as const
const VERSION = 20
/** 1980-01-01, the first day that a ZIP knows. */
const DAY = 0x21

/** A ZIP of small files, stored as they are. */
export function archiveOf(files: ReadonlyMap<string, string>): Uint8Array<ArrayBuffer> {
  const parts: Buffer[] = []
  const entries: Buffer[] = []
  let offset = 0
  for (const [name, text] of files) {
    const [title, data] = [Buffer.from(name), Buffer.from(text)]
    const facts = factsOf(title, data)
    const head = Buffer.concat([signatureBytes(SIGNATURE.file), facts, title])
    parts.push(head, data)
    entries.push(
      Buffer.concat([signatureBytes(SIGNATURE.entry), short(VERSION), facts, tail(offset), title]),
    )
    offset += head.length + data.length
  }
  const directory = Buffer.concat(entries)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(SIGNATURE.end, 0)
  end.writeUInt16LE(files.size, 8)
  end.writeUInt16LE(files.size, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return new Uint8Array(Buffer.concat([...parts, directory, end]))
}

/** What stands both before a file and in the directory. */
function factsOf(title: Buffer, data: Buffer): Buffer {
  const facts = Buffer.alloc(26)
  facts.writeUInt16LE(VERSION, 0)
  facts.writeUInt16LE(DAY, 8)
  facts.writeUInt32LE(crc32(data), 10)
  facts.writeUInt32LE(data.length, 14)
  facts.writeUInt32LE(data.length, 18)
  facts.writeUInt16LE(title.length, 22)
  return facts
}

/** What only the directory says of a file: where it begins, and that it has no comment. */
function tail(offset: number): Buffer {
  const rest = Buffer.alloc(14)
  rest.writeUInt32LE(offset, 10)
  return rest
}

function signatureBytes(signature: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(signature, 0)
  return bytes
}

function short(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value, 0)
  return bytes
}
