import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'

/** The installed version of a package. */
export function packageVersion(name: string): string {
  const file = findPackageJSON(name, import.meta.url)
  if (!file) throw new Error(`${name} is not installed`)
  const version = /"version": *"([^"]+)"/.exec(readFileSync(file, 'utf8'))?.[1]
  if (!version) throw new Error(`${file} names no version`)
  return version
}
