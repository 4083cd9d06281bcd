import { toMessage } from '@posthorn/engine'
import { describe, expect, it } from 'vitest'
import { nextRound, type Ready } from './deliver.ts'
import { partitionOf } from './wire.ts'

function ready(topic: string, key: string, { partition = 0, bytes = 100 } = {}): Ready {
  const message = toMessage({ id: `${topic}-${key}`, type: 't', key, payload: 1 })
  return {
    delivery: { message, destination: { transport: 'kafka', topic } },
    record: { topic, key, partition, value: '1' },
    bytes,
  }
}

function ids(all: readonly Ready[]): string {
  return all.map(({ delivery }) => delivery.message.id).join(' ')
}

describe('a round', () => {
  it('takes all that fits', () => {
    const { round, later } = nextRound([ready('t', 'a'), ready('t', 'b')], { ordered: true })
    expect([ids(round), ids(later)]).toEqual(['t-a t-b', ''])
  })

  it('keeps each partition below what a broker takes, and its rest in order', () => {
    const large = { bytes: 500_000 }
    const all = [
      ready('t', 'a', large),
      ready('t', 'b', large),
      ready('t', 'c'),
      ready('t', 'd', { partition: 1, ...large }),
    ]
    const { round, later } = nextRound(all, { ordered: false })
    expect([ids(round), ids(later)]).toEqual(['t-a t-d', 't-b t-c'])
  })

  it('takes one that is too large for any round alone', () => {
    const { round, later } = nextRound([ready('t', 'a', { bytes: 99_999_999 }), ready('t', 'b')], {
      ordered: false,
    })
    expect([ids(round), ids(later)]).toEqual(['t-a', 't-b'])
  })

  it('does not put a key into two topics at once, if the order matters', () => {
    const all = [
      ready('t', 'a'),
      ready('u', 'a'),
      ready('t', 'a'),
      ready('u', 'b', { partition: 1 }),
    ]
    const ordered = nextRound(all, { ordered: true })
    expect([ids(ordered.round), ids(ordered.later)]).toEqual(['t-a u-b', 'u-a t-a'])
    expect(ids(nextRound(all, { ordered: false }).round)).toBe('t-a u-a t-a u-b')
  })
})

it('chooses the partitions that the Java client chooses', () => {
  // murmur2 of Kafka's own UtilsTest: 21 -> -973932308, foobar -> -790332482.
  const positive = (hash: number): number => hash & 0x7fffffff
  expect(partitionOf('21', 2 ** 31)).toBe(positive(-973932308))
  expect(partitionOf('foobar', 2 ** 31)).toBe(positive(-790332482))
  expect(partitionOf('a-little-bit-long-string', 100)).toBe(positive(-985981536) % 100)
})
