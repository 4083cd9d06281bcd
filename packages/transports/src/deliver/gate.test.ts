import { delivered, retryLater, toMessage, type Delivery, type Outcome } from '@posthorn/engine'
import { describe, expect, it } from 'vitest'
import { createGate, sendByHalves, type Faulty } from './gate.ts'

function batch(keys: string): Delivery[] {
  return keys.split('').map((key, n) => ({
    destination: { transport: 'test', topic: 't' },
    message: toMessage({ id: `${key}${n}`, type: 't', key, payload: n }),
  }))
}

function ids(deliveries: readonly Delivery[]): string {
  return deliveries.map(({ message }) => message.id).join(' ')
}

function summary(outcomes: readonly Outcome[]): string {
  return outcomes
    .map((each) => ('failure' in each ? `${each.kind}:${each.failure.code}` : each.kind))
    .join(' ')
}

const error = Object.assign(new Error('bad'), { code: 'BAD' })

describe('sending by halves', () => {
  it('sends everything at once when nothing is wrong', async () => {
    const requests: string[] = []
    const outcomes = await sendByHalves(batch('abab'), createGate(true), async (admitted) => {
      requests.push(ids(admitted))
      return admitted.map(() => delivered())
    })
    expect(requests).toEqual(['a0 b1 a2 b3'])
    expect(summary(outcomes)).toBe('delivered delivered delivered delivered')
  })

  it('finds the bad one, refuses it alone and holds back what is behind it', async () => {
    const arrived: string[] = []
    const send = async (admitted: readonly Delivery[]): Promise<(Outcome | Faulty)[]> => {
      if (admitted.some(({ message }) => message.id === 'b1')) {
        return admitted.map(() => ({ kind: 'faulty', error }))
      }
      arrived.push(...admitted.map(({ message }) => message.id))
      return admitted.map(() => delivered())
    }
    const outcomes = await sendByHalves(batch('abacb'), createGate(true), send)
    expect(arrived).toEqual(['a0', 'a2', 'c3'])
    expect(summary(outcomes)).toBe('delivered refused:BAD delivered delivered retryLater:HELD_BACK')
    arrived.length = 0
    const unordered = await sendByHalves(batch('abacb'), createGate(false), send)
    expect(summary(unordered)).toBe('delivered refused:BAD delivered delivered delivered')
  })

  it('keeps what was said about the others', async () => {
    const outcomes = await sendByHalves(batch('abc'), createGate(true), async (admitted) =>
      admitted.map(({ message }) => {
        if (message.key === 'a') return delivered({ offset: '1' })
        return message.key === 'b' ? retryLater(error) : { kind: 'faulty', error }
      }),
    )
    expect(summary(outcomes)).toBe('delivered retryLater:BAD refused:BAD')
  })
})
