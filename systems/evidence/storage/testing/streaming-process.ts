import { createHash } from 'node:crypto'
import { peakMemoryMb } from '@posthorn/system/testing'
import { openStorage } from '../settings.ts'

/**
 * Puts and reads an object of as many MB as its argument says, by the storage that its environment names;
 * then says whether it came back whole and how much memory that took, in MB.
 */
const [key = '', size = ''] = process.argv.slice(2)
const { storage } = openStorage({ S3_REGION: 'us-east-1', ...process.env })
const before = peakMemoryMb()
const sent = createHash('sha256')
const put = await storage.put(key, megabytes(Number(size)))
const found = createHash('sha256')
for await (const chunk of await storage.read(key)) found.update(chunk as Buffer)
await storage.remove(key)
const grownMb = peakMemoryMb() - before
const isWhole = found.digest('hex') === sent.digest('hex')
process.stdout.write(JSON.stringify({ size: put.size, isWhole, grownMb }))

async function* megabytes(count: number): AsyncIterable<Uint8Array> {
  for (let index = 0; index < count; index += 1) {
    const chunk = Buffer.alloc(1_000_000, index)
    sent.update(chunk)
    yield chunk
  }
}
