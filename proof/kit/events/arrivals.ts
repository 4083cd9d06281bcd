import { openSync, writeSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Entry } from './queries.ts'

/** A message that came off the wire, whether its effect then happened or not. */
export interface Arrival extends Entry {
  readonly source: string
  /** Who wrote it down. */
  readonly by: string
  /** Of the machine's monotonic clock, which all processes share. */
  readonly atNs: bigint
  readonly atMs: number
}

const PREFIX = 'arrivals-'

/** Writes an arrival down. */
export type Note = (source: string, entry: Entry) => void

/**
 * Writes arrivals down before anything else happens to them. What `write` has taken survives a
 * kill of the process. Those who only look at a system note nothing, and make no file.
 */
export function noteArrivals(folder: string, name: string): Note {
  let file: number | undefined
  return (source, { id, key, n }) => {
    file ??= openSync(join(folder, `${PREFIX}${name}`), 'a')
    const time = `${process.hrtime.bigint()} ${Date.now()}`
    writeSync(file, `${time} ${source} ${key} ${n} ${id}\n`)
  }
}

/** All arrivals of all consumers, in their order. */
export async function readArrivals(folder: string): Promise<Arrival[]> {
  const files = (await readdir(folder)).filter((name) => name.startsWith(PREFIX))
  const found = files.map(async (name) => {
    const text = await readFile(join(folder, name), 'utf8')
    // A consumer killed in the middle of a line had not begun to handle the message.
    const lines = text.split('\n').slice(0, -1)
    return lines.map((line) => parse(line, name.slice(PREFIX.length)))
  })
  return (await Promise.all(found)).flat().sort((a, b) => (a.atNs < b.atNs ? -1 : 1))
}

function parse(line: string, by: string): Arrival {
  const [ns = '', ms, source = '', key = '', n, id = ''] = line.split(' ')
  return { atNs: BigInt(ns), atMs: Number(ms), source, by, key, n: Number(n), id }
}
