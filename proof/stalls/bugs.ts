import type { Change } from '../kit/copy.ts'

/** A fix that is taken out of a copy of the sources: lines become those of before. */
export interface TakenOut {
  /** What stood still before the fix. */
  readonly text: string
  /** The rule of the watchdog that must notice it. */
  readonly rule: 'OUTBOX_STALLED' | 'MESSAGE_STUCK'
  /** What is said with the fix, if not nothing, and why. */
  readonly still?: { readonly rule: 'OUTBOX_STALLED'; readonly since: string }
  readonly changes: readonly Change[]
}

const ENGINE = 'packages/engine/src'

export const takenOut: Readonly<Record<string, TakenOut>> = {
  'long key': {
    text: 'a key that no index holds is stored, and its bucket cannot be settled',
    rule: 'OUTBOX_STALLED',
    changes: [
      {
        file: `${ENGINE}/migrations/0001_engine.sql`,
        line: 'case when octet_length(key) > 1024 then posthorn.refuse_key(key)',
        becomes: 'case when octet_length(key) is null then posthorn.refuse_key(key)',
      },
    ],
  },
  'changed storage': {
    text: 'what waits in a log stays there when a relay keeps the outbox by key',
    rule: 'OUTBOX_STALLED',
    changes: [
      {
        file: `${ENGINE}/relay/storage.ts`,
        line: 'if (!known || known.storage === storageOf(outbox)) return undefined',
        becomes: 'if (known) return undefined as never',
      },
    ],
  },
  'restarted sequence': {
    text: 'a log whose sequence restarts is read from behind its end',
    rule: 'OUTBOX_STALLED',
    changes: [
      {
        file: `${ENGINE}/relay/log/log-moves.ts`,
        line: 'if (found.restarted > 0 && found.moved === 0) {',
        becomes: 'if (found.restarted < 0) {',
      },
    ],
  },
  'lane without a value': {
    text: 'messages whose lane is null are never claimed',
    rule: 'OUTBOX_STALLED',
    changes: [
      {
        file: `${ENGINE}/outbox/hazards.ts`,
        line: 'if (!rows.some(({ name, nullable }) => name === column && nullable)) continue',
        becomes: 'if (rows.length > 0) continue',
      },
    ],
  },
  'locked row': {
    text: 'one locked row keeps a relay from settling, and the others from being claimed',
    rule: 'OUTBOX_STALLED',
    still: { rule: 'OUTBOX_STALLED', since: 'the locked message itself stays due' },
    changes: [
      {
        file: `${ENGINE}/relay/settle/settle.sql.ts`,
        line: 'export const PATIENCE_MS = 100',
        becomes: 'export const PATIENCE_MS = 0',
      },
    ],
  },
  'handlers on the pool': {
    text: 'handlers take the last connections of a pool and wait for one more',
    rule: 'OUTBOX_STALLED',
    changes: [
      {
        file: `${ENGINE}/database/connection-gate.ts`,
        line: 'return Math.max(1, Math.floor(poolSize(pool) / 2))',
        becomes: 'return 100 * poolSize(pool)',
      },
    ],
  },
  'dead letter': {
    text: 'a dead letter that the database refuses is tried again without end',
    rule: 'MESSAGE_STUCK',
    changes: [
      {
        file: `${ENGINE}/consume/set-aside-store.ts`,
        line: 'if (!isUnstorable(cause)) throw cause',
        becomes: 'if (cause) throw cause',
      },
    ],
  },
  'text of a saga': {
    text: 'a step whose error has a zero byte is repeated without end',
    rule: 'MESSAGE_STUCK',
    changes: [
      {
        file: `${ENGINE}/errors.ts`,
        line: 'message: storableText(cut(message, MAX_MESSAGE)),',
        becomes: 'message: cut(message, MAX_MESSAGE),',
      },
    ],
  },
  'idle transaction': {
    text: 'a step whose connection is ended for its idleness is repeated without end',
    rule: 'MESSAGE_STUCK',
    changes: [
      {
        file: `${ENGINE}/database/transaction.ts`,
        line: 'return isOwn ? first : error',
        becomes: 'return isOwn ? error : error',
      },
    ],
  },
}
