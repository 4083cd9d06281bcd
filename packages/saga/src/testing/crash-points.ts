import { fixed, toMessage, transaction, uuid } from '@posthorn/engine'
import type { Pool } from 'pg'
import { acceptReply, defineSaga, refuse } from '../index.ts'
import { enter, callWorld, undoInWorld } from './ledger.ts'

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
