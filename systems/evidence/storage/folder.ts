import { randomUUID } from 'node:crypto'
import { type Dirent, type Stats, constants } from 'node:fs'
import { type FileHandle, mkdir, open, opendir, rename, rm, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { NotStored, type Storage, type StoredObject, countBytes, ignoreErrors } from './storage.ts'

/**
 * Keys as paths below a folder and back. Most keys are their own path; what a file system would
 * read otherwise is written as `%XX`, so that no key leads out of the folder. Names that this file
 * would not write, such as hidden ones, belong to no key.
 */

/** Control characters, what Windows forbids, and a percent sign that would read as an escape. */
const UNWRITABLE = /[\p{Cc}\\:*?"<>|]|%(?=[0-9A-F]{2})/gu
const ESCAPE = /%([0-9A-F]{2})/g
/** Stands for an empty name between two slashes. */
const EMPTY = '%'

export function pathOfKey(key: string): string {
  return key.split('/').map(nameOfSegment).join('/')
}

/** The key of a path with slashes, or undefined if no key has that path. */
export function keyOfPath(path: string): string | undefined {
  const key = path.split('/').map(segmentOfName).join('/')
  return pathOfKey(key) === path ? key : undefined
}

function nameOfSegment(segment: string): string {
  if (segment === '') return EMPTY
  if (segment === EMPTY) return '%25'
  // A leading dot would hide the file, and `..` would climb.
  return segment.replace(UNWRITABLE, escapeCharacter).replace(/^\./, escapeCharacter)
}

function segmentOfName(name: string): string {
  if (name === EMPTY) return ''
  return name.replace(ESCAPE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

function escapeCharacter(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
}

/** Hidden, so that no key lies in it, and on the same file system, so that files can be renamed. */
const UNFINISHED = '.unfinished'
/** Older than any put: left by a process that died. */
const ABANDONED_MS = 24 * 3_600_000

/** Keeps objects as files of a folder, which is made when the first one comes. */
export function folderStorage(folder: string): Storage {
  let swept: Promise<void> | undefined
  const pathOf = (key: string) => join(folder, pathOfKey(key))

  return {
    async put(key, bytes, options = {}) {
      const unfinished = join(folder, UNFINISHED)
      await (swept ??= removeAbandoned(unfinished))
      await mkdir(unfinished, { recursive: true })
      const temporary = join(unfinished, randomUUID())
      try {
        const facts = await writeWhole(temporary, countBytes(key, bytes, options))
        const path = pathOf(key)
        await mkdir(dirname(path), { recursive: true })
        await rename(temporary, path)
        await syncFolder(dirname(path))
        return toStoredObject(key, facts)
      } catch (error) {
        await rm(temporary, { force: true })
        throw error
      }
    },

    async read(key, { start = 0, end = Number.POSITIVE_INFINITY, signal } = {}) {
      signal?.throwIfAborted()
      const file = await openFile(key, pathOf(key))
      if (end <= start) {
        await file.close()
        return Readable.from([])
      }
      return ignoreErrors(file.createReadStream({ start, end: end - 1, ...(signal && { signal }) }))
    },

    async head(key) {
      const facts = await stat(pathOf(key)).catch(unlessMissing)
      return facts?.isFile() ? toStoredObject(key, facts) : undefined
    },

    async *list(prefix) {
      // Only below the prefix's last slash can anything begin with it.
      const above = prefix.slice(0, prefix.lastIndexOf('/') + 1)
      for await (const path of filesBelow(
        folder,
        above === '' ? '' : pathOfKey(above.slice(0, -1)),
      )) {
        const key = keyOfPath(path)
        if (key === undefined || !key.startsWith(prefix)) continue
        const facts = await stat(join(folder, path)).catch(unlessMissing)
        if (facts) yield toStoredObject(key, facts)
      }
    },

    async remove(key) {
      await unlink(pathOf(key)).catch(unlessMissing)
    },
  }
}

async function writeWhole(path: string, bytes: AsyncIterable<Uint8Array>): Promise<Stats> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
    return await file.stat()
  } finally {
    await file.close()
  }
}

/** A rename outlives a power cut only once its folder is on the disk. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function openFile(key: string, path: string): Promise<FileHandle> {
  const file = await open(path, constants.O_RDONLY).catch(unlessMissing)
  if (!file) throw new NotStored(key)
  const facts = await file.stat()
  if (facts.isFile()) return file
  await file.close()
  throw new NotStored(key)
}

async function* filesBelow(folder: string, path: string): AsyncIterable<string> {
  const entries = await opendir(join(folder, path)).catch(unlessMissing)
  if (!entries) return
  const folders: string[] = []
  for await (const entry of entries as AsyncIterable<Dirent>) {
    if (entry.name.startsWith('.')) continue
    const below = path === '' ? entry.name : `${path}/${entry.name}`
    if (entry.isFile()) yield below
    if (entry.isDirectory()) folders.push(below)
  }
  for (const below of folders) yield* filesBelow(folder, below)
}

async function removeAbandoned(folder: string): Promise<void> {
  const entries = await opendir(folder).catch(unlessMissing)
  if (!entries) return
  for await (const { name } of entries as AsyncIterable<Dirent>) {
    const facts = await stat(join(folder, name)).catch(unlessMissing)
    if (facts && Date.now() - facts.mtimeMs > ABANDONED_MS) await rm(join(folder, name))
  }
}

function toStoredObject(key: string, { size, mtimeMs, ctimeMs, ino }: Stats): StoredObject {
  return {
    key,
    size,
    etag: [ino, size, Math.round(mtimeMs * 1_000)].map((part) => part.toString(36)).join('-'),
    // Copying may keep the time of the original: the later one tells when the file came here.
    modifiedAt: new Date(Math.max(mtimeMs, ctimeMs)),
  }
}

/** A folder of that name holds other keys; it is no object itself. */
const MISSING = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'EPERM'])

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (MISSING.has(error.code ?? '')) return undefined
  throw error
}
