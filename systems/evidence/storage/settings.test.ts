import { randomUUID } from 'node:crypto'
import { withBroker } from '@posthorn/engine/testing'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { readSettings } from '@posthorn/system'
import { openStorage, storageSettings } from './settings.ts'

function settings(env: Record<string, string | undefined>, production = false) {
  const { values, mistakes } = readSettings(Type.Object(storageSettings), { env, production })
  expect(mistakes).toEqual([])
  return values
}

test('without a bucket a folder is used; production must name it', () => {
  expect(openStorage(settings({})).bucket).toBe('folder')
  expect(openStorage(settings({ EVIDENCE_FOLDER: '/data' }, true)).bucket).toBe('folder')
  const { mistakes } = readSettings(Type.Object(storageSettings), { env: {}, production: true })
  expect(mistakes).toEqual([expect.stringMatching(/^S3_BUCKET or EVIDENCE_FOLDER is missing: /)])
})

test('a bucket is used where one is named, with both halves of its key', () => {
  const bucket = { S3_BUCKET: 'evidence' }
  expect(openStorage(settings(bucket, true)).bucket).toBe('evidence')
  const half = { ...bucket, S3_ACCESS_KEY_ID: 'id' }
  expect(() => openStorage(settings(half))).toThrow('belong together')
})

withBroker('S3_ENDPOINT', (endpoint) => {
  test('the key of the settings opens the bucket, a wrong one does not', async () => {
    const env = { S3_BUCKET: process.env['S3_BUCKET'] ?? 'posthorn-test', S3_ENDPOINT: endpoint }
    const key = {
      S3_ACCESS_KEY_ID: process.env['AWS_ACCESS_KEY_ID'],
      S3_SECRET_ACCESS_KEY: process.env['AWS_SECRET_ACCESS_KEY'],
    }
    const { storage } = openStorage(settings({ ...env, ...key }))
    expect(await storage.head(`test-${randomUUID()}`)).toBeUndefined()
    const wrong = openStorage(settings({ ...env, ...key, S3_SECRET_ACCESS_KEY: 'wrong' }))
    const refused = wrong.storage.head(`test-${randomUUID()}`)
    await expect(refused).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } })
  })
})
