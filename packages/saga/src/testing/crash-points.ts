import { fixed, toMessage, transaction, uuid, type Transaction } from '@posthorn/engine'
import type { Pool } from 'pg'
import { acceptReply, defineSaga, refuse, type AnySaga, type SignalOutcome } from '../index.ts'
import { callWorld, enter, undoInWorld } from './ledger.ts'
import { sendSignal } from '../events/replies.ts'

/** Every moment at which a process may die, by name. */
export const CRASH_POINTS = [
  'turn taken',
  'a: begun',
  'a: called',
  'a: written',
  'b: begun',
  'b: called',
  'b: written',
  'reply: begun',
  'reply: written',
  'c: begun',
  'c: called',
  'c: written',
  'undo b: begun',
  'undo b: called',
  'undo b: written',
  'undo a: begun',
  'undo a: called',
  'undo a: written',
  'turn over',
] as const

export type CrashPoint = (typeof CRASH_POINTS)[number]

/** A saga that passes all of them; `c` refuses if it is to end badly. */
export function crashingSaga(pool: Pool, reach: (point: CrashPoint) => Promise<void>) {
  const step = <Name extends 'a' | 'b' | 'c'>(name: Name) => ({
    retry: fixed('1s', { attempts: 3 }),
    action: async (
      { ends }: { ends: 'well' | 'badly' },
      tx: Parameters<typeof enter>[0],
      { sagaId }: { sagaId: string },
    ) => {
      await reach(`${name}: begun`)
      if (name === 'c' && ends === 'badly') return refuse('NO', 'no')
      await callWorld(pool, sagaId, name)
      await reach(`${name}: called`)
      await enter(tx, sagaId, name)
      await reach(`${name}: written`)
      return { events: [{ type: name, payload: {} }] }
    },
  })
  const undo = (name: 'a' | 'b') => ({
    compensate: async (
      _context: object,
      tx: Parameters<typeof enter>[0],
      { sagaId }: { sagaId: string },
    ) => {
      await reach(`undo ${name}: begun`)
      await undoInWorld(pool, sagaId, name)
      await reach(`undo ${name}: called`)
      await enter(tx, sagaId, `undo ${name}`)
      await reach(`undo ${name}: written`)
    },
  })
  return defineSaga<{ ends: 'well' | 'badly' }>('crashing')
    .step('a', { ...step('a'), ...undo('a') })
    .step('b', { ...step('b'), ...undo('b') })
    .reply('reply', {
      event: 'go',
      action: async (_context, tx, { sagaId }) => {
        await reach('reply: begun')
        await enter(tx, sagaId, 'reply')
        await reach('reply: written')
      },
    })
    .step('c', {
      ...step('c'),
      compensate: async (_context, tx, { sagaId }) => {
        await undoInWorld(pool, sagaId, 'c')
        await enter(tx, sagaId, 'undo c')
      },
    })
}

/** The reply the saga waits for; the same however often it is brought. */
export function bringReply(pool: Pool, sagaId: string): Promise<unknown> {
  const message = toMessage({ id: uuid(), type: 'go', payload: {}, headers: { 'saga-id': sagaId } })
  return transaction(pool, (tx) => acceptReply(tx, { consumer: 'test', message }))
}

/** Every moment at which a process may die that runs steps side by side, by name. */
export const FORK_POINTS = [
  'upgraded',
  'maybe: begun',
  'maybe: written',
  'left: begun',
  'left: called',
  'left: written',
  'right: begun',
  'right: called',
  'right: written',
  'signal: begun',
  'signal: written',
  'join: begun',
  'undo right: begun',
  'undo right: called',
  'undo right: written',
  'undo left: begun',
  'undo left: called',
  'undo left: written',
  'undo maybe: begun',
] as const

export type ForkPoint = (typeof FORK_POINTS)[number]

/** As it was before its steps ran side by side: every instance is begun with this one. */
export const straightSaga = defineSaga<{ ends: 'well' | 'badly' }>('forking')
  .step('maybe', { action: async () => undefined })
  .step('join', { action: async () => undefined })

/** A saga that passes all of the points; `join` refuses if it is to end badly. */
export function forkingSaga(pool: Pool, reach: (point: ForkPoint) => Promise<void>): AnySaga {
  type Named = 'maybe' | 'left' | 'right'
  const step = (name: Named) => ({
    action: async (_context: object, tx: Transaction, { sagaId }: { sagaId: string }) => {
      if (name === 'maybe') await reach('upgraded')
      await reach(`${name}: begun`)
      await callWorld(pool, sagaId, name)
      if (name !== 'maybe') await reach(`${name}: called`)
      await enter(tx, sagaId, name)
      await reach(`${name}: written`)
    },
    compensate: async (_context: object, tx: Transaction, { sagaId }: { sagaId: string }) => {
      await reach(`undo ${name}: begun`)
      await undoInWorld(pool, sagaId, name)
      if (name !== 'maybe') await reach(`undo ${name}: called`)
      await enter(tx, sagaId, `undo ${name}`)
      if (name !== 'maybe') await reach(`undo ${name}: written`)
    },
  })
  const options = { version: 2, deadline: '1h', upgrades: { 1: () => ({}) } } as const
  return defineSaga<{ ends: 'well' | 'badly' }>('forking', options)
    .step('maybe', { ...step('maybe'), when: () => true })
    .step('never', { action: async () => Promise.reject(new Error('never')), when: () => false })
    .parallel({
      left: (branch) => branch.step('left', step('left')),
      right: (branch) =>
        branch.step('right', step('right')).signal('go', {
          action: async (_context, tx, { sagaId }) => {
            await reach('signal: begun')
            await enter(tx, sagaId, 'signal')
            await reach('signal: written')
          },
        }),
    })
    .step('join', {
      action: async ({ ends }, tx, { sagaId }) => {
        await reach('join: begun')
        if (ends === 'badly') return refuse('NO', 'no')
        await enter(tx, sagaId, 'join')
        return {}
      },
    })
}

/** The signal it waits for; the same however often it is sent. */
export function sendGo(pool: Pool, sagaId: string, saga: AnySaga): Promise<SignalOutcome> {
  const signal = { sagaId, name: 'go', key: 'go' }
  return transaction(pool, (tx) => sendSignal(tx, [saga], signal))
}
