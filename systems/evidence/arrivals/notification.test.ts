import { describe, expect, test } from 'vitest'
import { orgOfKey } from './arrival.ts'
import { readNotification } from './notification.ts'

const OBJECT = { key: 'incoming/acme/a.zip', size: 10, eTag: 'e1', sequencer: '0055AED6DCD90281E5' }

function record(changes: object = {}, object: object = {}) {
  return {
    eventVersion: '2.5',
    eventSource: 'aws:s3',
    eventName: 'ObjectCreated:Put',
    s3: { s3SchemaVersion: '1.0', bucket: { name: 'b' }, object: { ...OBJECT, ...object } },
    ...changes,
  }
}

const CREATED = { bucket: 'b', key: 'incoming/acme/a.zip', etag: 'e1', size: 10 }

describe('a notification', () => {
  test.each([
    ['S3 itself', { Records: [record()] }],
    ['an older version', { Records: [record({ eventVersion: '2.0' })] }],
    ['a newer minor version', { Records: [record({ eventVersion: '2.17', more: {} })] }],
    [
      'a multipart upload',
      { Records: [record({ eventName: 'ObjectCreated:CompleteMultipartUpload' })] },
    ],
    [
      'MinIO',
      {
        EventName: 's3:ObjectCreated:Put',
        Records: [record({ eventName: 's3:ObjectCreated:Put' })],
      },
    ],
    ['SNS', { Type: 'Notification', Message: JSON.stringify({ Records: [record()] }) }],
    [
      'EventBridge',
      {
        source: 'aws.s3',
        'detail-type': 'Object Created',
        detail: {
          bucket: { name: 'b' },
          object: { key: 'incoming/acme/a.zip', size: 10, etag: 'e1' },
        },
      },
    ],
  ])('of %s tells of a new object', (_, body) => {
    expect(readNotification(body)).toEqual({ created: [CREATED], others: 0 })
  })

  test.each([
    ['a test event', { Service: 'Amazon S3', Event: 's3:TestEvent', Bucket: 'b' }],
    ['a wrapped test event', { Type: 'Notification', Message: '{"Event":"s3:TestEvent"}' }],
    ['a removal', { Records: [record({ eventName: 'ObjectRemoved:Delete' })] }],
    ['a new major version', { Records: [record({ eventVersion: '3.0' })] }],
    [
      'a key that cannot be decoded',
      { Records: [record({}, { key: 'incoming/acme/%E0%A4%A.zip' })] },
    ],
    ['something else', { hello: 'world' }],
    ['nothing', null],
    ['a record of another form', { Records: ['?'] }],
    ['a message that is no JSON', { Type: 'Notification', Message: 'hello' }],
    ['messages without end', wrap(wrap({ Records: [record()] }))],
  ])('of %s tells nothing', (_, body) => {
    expect(readNotification(body)).toEqual({ created: [], others: 1 })
  })

  test('tells of several, and what is not understood does not hide the rest', () => {
    const body = { Records: [record(), null, record({}, { key: 'incoming/acme/b.zip' })] }
    const { created, others } = readNotification(body)
    expect(created.map(({ key }) => key)).toEqual(['incoming/acme/a.zip', 'incoming/acme/b.zip'])
    expect(others).toBe(1)
  })

  test.each([
    ['incoming/acme/a+b.zip', 'incoming/acme/a b.zip'],
    ['incoming/acme/a%2Bb.zip', 'incoming/acme/a+b.zip'],
    ['incoming/acme/100%25.zip', 'incoming/acme/100%.zip'],
    ['incoming/acme/%C3%BC%E6%9D%B1.zip', 'incoming/acme/ü東.zip'],
  ])('with the key %s means %s', (written, key) => {
    expect(readNotification({ Records: [record({}, { key: written })] }).created[0]?.key).toBe(key)
  })

  test('of EventBridge has keys as they are', () => {
    const object = { key: 'incoming/acme/a+b%20.zip' }
    const detail = { bucket: { name: 'b' }, object }
    const body = { source: 'aws.s3', 'detail-type': 'Object Created', detail }
    expect(readNotification(body).created[0]?.key).toBe(object.key)
  })

  test.each([
    ['v1', 'v1'],
    ['null', undefined],
    ['', undefined],
  ])('with the version "%s" has the version %s', (versionId, version) => {
    const body = { Records: [record({}, { versionId })] }
    expect(readNotification(body).created[0]?.version).toBe(version)
  })

  function wrap(body: unknown) {
    return { Type: 'Notification', Message: JSON.stringify(body) }
  }
})

test.each([
  ['incoming/acme/a.zip', 'acme'],
  ['incoming/acme/2026/11/a.zip', 'acme'],
  ['incoming/acme ltd/a.zip', 'acme ltd'],
  ['incoming/acme/', undefined],
  ['incoming/acme/folder/', undefined],
  ['incoming/a.zip', undefined],
  ['incoming//a.zip', undefined],
  ['incoming/', undefined],
  ['uploads/acme/a.zip', undefined],
  ['x/incoming/acme/a.zip', undefined],
  ['incoming/acme/a\0.zip', undefined],
  [`incoming/acme/${'x'.repeat(1_024)}`, undefined],
])('the key %j is of %s', (key, org) => {
  expect(orgOfKey(key)).toBe(org)
})
