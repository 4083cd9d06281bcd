import { createHash, createHmac } from 'node:crypto'

/** A request without a body, signed with AWS Signature Version 4; answers with its status. */
export async function s3Request(method, path, env) {
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
