import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fillCache } from './cache.mjs'
import { runWithRetries } from './command.mjs'
import { s3Request } from './s3-request.mjs'

const VERSION = '1.8.0'
const BUCKET = 'posthorn-test'

/** An S3 server over a folder, built from source by Go. */
export const versitygw = {
  name: 's3',
  variable: 'S3_ENDPOINT',
  needs: 'Go (https://go.dev) to build versitygw, and its module proxy to fetch from',
  ports: ['s3'],
  readyWithinMs: 120_000,

  async install(log) {
    const name = `versitygw-${VERSION}-${process.platform}-${process.arch}`
    const home = await fillCache(name, async (folder) => {
      log(`s3: building versitygw ${VERSION}, one to two minutes the first time`)
      await runWithRetries(
        'go',
        ['install', `github.com/versity/versitygw/cmd/versitygw@v${VERSION}`],
        {
          // No C compiler needed, and the binary runs on any libc.
          env: { GOBIN: folder, CGO_ENABLED: '0' },
        },
      )
    })
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
    const status = await s3Request('PUT', `/${BUCKET}`, this.env(ports))
    // 409: it is there and ours.
    if (status !== 200 && status !== 409) throw new Error(`The S3 server answers ${status}`)
  },

  env(ports) {
    return {
      S3_ENDPOINT: `http://127.0.0.1:${ports.s3}`,
      S3_BUCKET: BUCKET,
      AWS_ACCESS_KEY_ID: 'posthorn',
      AWS_SECRET_ACCESS_KEY: 'posthorn-secret',
      AWS_REGION: 'us-east-1',
    }
  },

  addresses(endpoint) {
    const { hostname, port, protocol } = new URL(endpoint)
    return [{ host: hostname, port: Number(port) || (protocol === 'https:' ? 443 : 80) }]
  },
}
