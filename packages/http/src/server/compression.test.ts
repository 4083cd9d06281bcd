import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { bearer, sampleApp } from '../testing/sample-app.ts'

async function ask(url: string, encoding?: string, method: 'GET' | 'POST' = 'GET') {
  const app = await sampleApp()
  const words = (n: number) => Array.from({ length: n }, (_, i) => `word ${i}`)
  app.get('/words', () => ({ words: words(1_000) }))
  app.get('/few', () => ({ words: words(3) }))
  app.post('/words', () => ({ words: words(1_000) }))
  const headers = { ...(await bearer()), ...(encoding && { 'accept-encoding': encoding }) }
  return app.inject({ method, url, headers })
}

test('long JSON is compressed for those who take gzip, and is the same', async () => {
  const plain = await ask('/words')
  expect(plain.headers['content-encoding']).toBeUndefined()
  expect(plain.headers['vary']).toBe('accept-encoding')
  for (const encoding of [
    'gzip',
    'gzip, deflate, br, zstd',
    'br;q=1.0, gzip;q=0.8, *;q=0.1',
    '*',
  ]) {
    const small = await ask('/words', encoding)
    expect(small.headers, encoding).toMatchObject({
      'content-encoding': 'gzip',
      'content-type': plain.headers['content-type'],
      'content-length': String(small.rawPayload.length),
    })
    expect(small.rawPayload.length).toBeLessThan(plain.rawPayload.length / 3)
    expect(gunzipSync(small.rawPayload).toString()).toBe(plain.body)
  }
})

test.each([
  ['short', '/few', 'gzip', 'GET'],
  ['an answer to a write', '/words', 'gzip', 'POST'],
  ['for those who refuse gzip', '/words', 'gzip;q=0, br', 'GET'],
  ['for those who know others only', '/words', 'br, x-gzipped', 'GET'],
] as const)('what is %s stays as it is', async (_, url, encoding, method) => {
  const { headers, body } = await ask(url, encoding, method)
  expect(headers['content-encoding']).toBeUndefined()
  expect(JSON.parse(body)).toHaveProperty('words')
})
