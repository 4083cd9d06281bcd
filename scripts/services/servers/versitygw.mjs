import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { builtByGo } from '../archives.mjs'

const VERSION = '1.8.0'
const BUCKET = 'posthorn-test'

/** Who the clients of this server and of ElasticMQ are. */
export const AWS = {
  AWS_ACCESS_KEY_ID: 'posthorn',
  AWS_SECRET_ACCESS_KEY: 'posthorn-secret',
  AWS_REGION: 'us-east-1',
}

/** An S3 server over a folder, built from source by Go. */
export const versitygw = {
  name: 's3',
  variable: 'S3_ENDPOINT',
  usualPort: 80,
  needs: 'Go (https://go.dev) to build versitygw, and its module proxy to fetch from',
  ports: ['s3'],
  readyWithinMs: 120_000,

  async install(log) {
    const module = 'github.com/versity/versitygw/cmd/versitygw'
    const home = await builtByGo('versitygw', { version: VERSION, module, log })
    return { version: `versitygw ${VERSION}`, home }
  },

  async launch({ home, folder, ports, start }) {
    const data = join(folder, `data-${VERSION}`)
    // Metadata in files of its own: the default, extended attributes, is not on every file system.
    const metadata = join(folder, `metadata-${VERSION}`)
    await mkdir(data, { recursive: true })
    await mkdir(metadata, { recursive: true })
    const env = this.env(ports)
    await start(
      join(home, 'versitygw'),
      ['--quiet', '--port', `127.0.0.1:${ports.s3}`, 'posix', '--sidecar', metadata, data],
      {
        env: {
          ROOT_ACCESS_KEY_ID: env.AWS_ACCESS_KEY_ID,
          ROOT_SECRET_ACCESS_KEY: env.AWS_SECRET_ACCESS_KEY,
          VGW_REGION: env.AWS_REGION,
        },
      },
    )
  },

  /** Rejects unless the bucket is there, after making it if it is not. */
  async probe(ports) {
    const { CreateBucketCommand, S3Client } = await import('@aws-sdk/client-s3')
    const client = new S3Client({
      endpoint: this.env(ports).S3_ENDPOINT,
      ...{ forcePathStyle: true, maxAttempts: 1, region: AWS.AWS_REGION },
      credentials: {
        accessKeyId: AWS.AWS_ACCESS_KEY_ID,
        secretAccessKey: AWS.AWS_SECRET_ACCESS_KEY,
      },
    })
    const abortSignal = AbortSignal.timeout(2000)
    try {
      await client.send(new CreateBucketCommand({ Bucket: BUCKET }), { abortSignal })
    } catch (error) {
      // It is there and ours.
      if (error.$metadata?.httpStatusCode !== 409) throw error
    } finally {
      client.destroy()
    }
  },

  env(ports) {
    return {
      S3_ENDPOINT: `http://127.0.0.1:${ports.s3}`,
      S3_BUCKET: BUCKET,
      ...AWS,
    }
  },
}
