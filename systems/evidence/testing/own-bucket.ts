import { randomUUID } from 'node:crypto'
import { CreateBucketCommand, DeleteBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { s3Storage } from '../storage/s3.ts'
import type { Storage } from '../storage/storage.ts'

export interface OwnBucket {
  readonly storage: Storage
  /** What a process must have in its environment to use it. */
  readonly env: Readonly<Record<string, string>>
  /** Removes it with all it holds. */
  close(): Promise<void>
}

/** A bucket for one test on the S3 server: a sweep must not find what others put there. */
export async function ownBucket(endpoint: string): Promise<OwnBucket> {
  const bucket = `evidence-${randomUUID()}`
  const region = process.env['AWS_REGION'] ?? 'us-east-1'
  const client = new S3Client({ endpoint, region, forcePathStyle: true })
  await client.send(new CreateBucketCommand({ Bucket: bucket }))
  const storage = s3Storage({ bucket, endpoint, region })
  const { AWS_ACCESS_KEY_ID: keyId = '', AWS_SECRET_ACCESS_KEY: secret = '' } = process.env
  return {
    storage,
    env: {
      ...{ S3_ENDPOINT: endpoint, S3_BUCKET: bucket, S3_REGION: region },
      ...{ S3_ACCESS_KEY_ID: keyId, S3_SECRET_ACCESS_KEY: secret },
    },
    async close() {
      for await (const { key } of storage.list('')) await storage.remove(key)
      await client.send(new DeleteBucketCommand({ Bucket: bucket }))
    },
  }
}
