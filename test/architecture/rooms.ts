import { posix } from 'node:path'
import { importsOf } from './imports.ts'
import { isTest, type SourceFile } from './source-files.ts'

const ENGINE = 'packages/engine/src/'

/**
 * The rooms of the engine. A room imports only those before it, types included, so they form no ring. Files next
 * to the rooms (errors, log, durations) are the ground: they import no room, and every room may import them.
 */
const ROOMS = [
  'metrics',
  'database',
  'encrypt',
  'outbox',
  'enqueue',
  'relay/attempt',
  'relay/session',
  'relay/settle',
  'relay/row',
  'relay/key',
  'relay/log',
  'relay/agenda',
  'control',
  'maintain',
  'relay',
  'consume',
  'inbox',
  'host',
  'testing',
]

/** Doors next to the rooms, which import all of them. */
const DOORS = ['index.ts', 'internal.ts']

/** The ground: files that every room may import. */
const GROUND = /^(back-off|duration|errors|log|metrics|semaphore|sleep|storable|uuid)\.ts$/

/** What is wrong with a file's place in the engine, or with the rooms that it imports from. */
export function wrongRoom({ path, text }: SourceFile): string[] {
  if (!path.startsWith(ENGINE) || isTest(path)) return []
  const inside = path.slice(ENGINE.length)
  if (DOORS.includes(inside)) return []
  const room = roomOf(inside)
  const isGround = GROUND.test(inside)
  if (room === undefined && !isGround) return [`${path} is in no room`]
  return importsOf(text)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => roomOf(posix.join(posix.dirname(path), specifier).slice(ENGINE.length)))
    .filter((other) => other !== undefined && other !== room)
    .filter((other) => room === undefined || rankOf(other) > rankOf(room))
    .map((other) => `${path}: ${room ?? 'the ground'} must not import ${other}`)
}

/** The room of a file, by its path below `src`: the longest that fits; undefined for a file of the ground. */
function roomOf(inside: string): string | undefined {
  const folders = posix.dirname(inside).split('/')
  const names = folders.map((_, i) => folders.slice(0, folders.length - i).join('/'))
  return names.find((name) => ROOMS.includes(name))
}

function rankOf(room: string | undefined): number {
  return room === undefined ? -1 : ROOMS.indexOf(room)
}
