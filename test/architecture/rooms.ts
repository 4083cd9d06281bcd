import { posix } from 'node:path'
import { importsOf } from './imports.ts'
import { isTest, type SourceFile } from './source-files.ts'

const ENGINE = 'packages/engine/src/'

/**
 * Which rooms of the engine a room may import, along the data's way. What lies beside the rooms
 * (errors, log, metrics, durations) is for all; `testing` sees everything.
 */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  metrics: [],
  outbox: ['enqueue', 'sql', 'encrypt'],
  enqueue: ['outbox', 'sql', 'encrypt'],
  encrypt: ['outbox', 'enqueue', 'sql'],
  sql: ['outbox', 'enqueue'],
  inbox: ['outbox', 'enqueue', 'sql', 'maintain', 'consume'],
  consume: ['outbox', 'enqueue', 'sql'],
  maintain: ['outbox', 'enqueue', 'sql'],
  relay: ['outbox', 'enqueue', 'sql', 'maintain', 'encrypt'],
  host: ['outbox', 'enqueue', 'sql', 'maintain', 'relay', 'operate'],
  operate: ['outbox', 'enqueue', 'sql', 'inbox', 'consume', 'maintain', 'relay', 'encrypt'],
}

/** Files that may lie beside the rooms: what every room uses. */
const BESIDE = /^(duration|errors|index|log|metrics|open-telemetry|sleep|trace|uuid)(\.test)?\.ts$/

/** What is wrong with a file's place in the engine, or with the rooms that it imports from. */
export function wrongRoom({ path, text }: SourceFile): string[] {
  if (!path.startsWith(ENGINE)) return []
  const room = roomOf(path)
  if (room === undefined) {
    const isKnown = BESIDE.test(posix.basename(path))
    return isKnown ? [] : [`${path} lies beside the rooms of the engine`]
  }
  if (room === 'testing') return []
  const allowed = ROOMS[room]
  if (!allowed) return [`${path} is in no room that is known`]
  if (isTest(path) || posix.basename(path).startsWith('conformance')) return []
  return importsOf(text)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => roomOf(posix.join(posix.dirname(path), specifier)))
    .filter((other) => other !== undefined && other !== room && !allowed.includes(other))
    .map((other) => `${path}: ${room} must not import ${other}`)
}

function roomOf(path: string): string | undefined {
  const [room, ...rest] = path.slice(ENGINE.length).split('/')
  return rest.length === 0 ? undefined : room
}
