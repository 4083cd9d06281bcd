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
