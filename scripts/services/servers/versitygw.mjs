import { createHash, createHmac } from 'node:crypto'
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
    const status = await s3Request('PUT', `/${BUCKET}`, this.env(ports))
    // 409: it is there and ours.
    if (status !== 200 && status !== 409) throw new Error(`The S3 server answers ${status}`)
  },

  env(ports) {
    return {
      S3_ENDPOINT: `http://127.0.0.1:${ports.s3}`,
      S3_BUCKET: BUCKET,
      ...AWS,
    }
  },
}

/** A request without a body, signed with AWS Signature Version 4; answers with its status. */
async function s3Request(method, path, env) {
  const { host } = new URL(env.S3_ENDPOINT)
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, '')
  const scope = `${time.slice(0, 8)}/${env.AWS_REGION}/s3/aws4_request`
  const names = 'host;x-amz-content-sha256;x-amz-date'
  const hash = sha256('')
  const headers = `host:${host}\nx-amz-content-sha256:${hash}\nx-amz-date:${time}\n`
  const request = [method, path, '', headers, names, hash].join('\n')
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(request)].join('\n')
  const key = scope
    .split('/')
    .reduce((soFar, part) => hmac(soFar, part), `AWS4${env.AWS_SECRET_ACCESS_KEY}`)
  const response = await fetch(env.S3_ENDPOINT + path, {
    method,
    headers: {
      'x-amz-date': time,
      'x-amz-content-sha256': hash,
      authorization:
        `AWS4-HMAC-SHA256 Credential=${env.AWS_ACCESS_KEY_ID}/${scope}, ` +
        `SignedHeaders=${names}, Signature=${hmac(key, text).toString('hex')}`,
    },
    signal: AbortSignal.timeout(2000),
  })
  await response.arrayBuffer()
  return response.status
}

function sha256(text) {
  return createHash('sha256').update(text).digest('hex')
}

function hmac(key, text) {
  return createHmac('sha256', key).update(text).digest()
}
