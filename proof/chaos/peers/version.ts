import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'

/** The installed version of a package. */
export function versionOf(name: string): string {
  const file = findPackageJSON(name, import.meta.url) ?? ''
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string }
  return version
}
