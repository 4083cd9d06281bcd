import { randomUUID } from 'node:crypto'
import { proxyTo, withBroker } from '@posthorn/engine/testing'
import { ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3'
import { afterAll, expect, test } from 'vitest'
import { s3Storage } from './s3.ts'
import { storageConformance } from './testing/storage-conformance.ts'

withBroker('S3_ENDPOINT', (endpoint) => {
  const bucket = process.env['S3_BUCKET'] ?? 'posthorn-test'
  const run = `test-${randomUUID()}`

  storageConformance('a bucket', async () => ({
    storage: s3Storage({ bucket, endpoint, region: 'us-east-1' }),
    prefix: `${run}/${randomUUID()}/`,
  }))

  test('a read whose line breaks fails; it does not end early', async () => {
    const line = await proxyTo(endpoint)
    const storage = s3Storage({ bucket, endpoint: line.by(endpoint), region: 'us-east-1' })
    await storage.put(`${run}/cut`, zeros(30))
    const stream = await storage.read(`${run}/cut`)
    let size = 0
    const reading = (async () => {
      for await (const chunk of stream) {
        size += (chunk as Buffer).length
        line.cut()
      }
    })()
    await expect(reading).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect(size).toBeLessThan(30_000_000)
  })

  test('a put whose line breaks fails and shows nothing', async () => {
    const line = await proxyTo(endpoint)
    const storage = s3Storage({ bucket, endpoint: line.by(endpoint), region: 'us-east-1' })
    const put = storage.put(
      `${run}/lost`,
      zeros(3, () => line.cut()),
    )
    await expect(put).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    const direct = s3Storage({ bucket, endpoint, region: 'us-east-1' })
    expect(await direct.head(`${run}/lost`)).toBeUndefined()
  })

  afterAll(async () => {
    const storage = s3Storage({ bucket, endpoint, region: 'us-east-1' })
    const keys: string[] = []
    for await (const { key } of storage.list(`${run}/`)) keys.push(key)
    while (keys.length > 0) await Promise.all(keys.splice(0, 40).map((key) => storage.remove(key)))
  })

  test('a failed put leaves no parts that cost money', async () => {
    const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true })
    const { Uploads = [] } = await client.send(
      new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: `${run}/` }),
    )
    expect(Uploads).toEqual([])
  })
})

async function* zeros(megabytes: number, atEnd: () => void = () => undefined) {
  for (let index = 0; index < megabytes; index += 1) yield Buffer.alloc(1_000_000)
  atEnd()
}
