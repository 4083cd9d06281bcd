import { readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import type { LookupAddress } from 'node:dns'

/** How long what was read counts before the file is looked at again. */
const FRESH_MS = 10_000

/**
 * Names that this machine knows by itself. Read without the thread pool: a file of a few lines is
 * read faster than a thread is found, and a pool that others have filled must not stop webhooks.
 */
export class HostsFile {
  readonly #path: string
  #names: ReadonlyMap<string, readonly LookupAddress[]> = new Map()
  #changedMs = Number.NaN
  #lookedAt = Number.NEGATIVE_INFINITY

  constructor(path = '/etc/hosts') {
    this.#path = path
  }

  /** Undefined for a name that does not stand in the file. */
  find(hostname: string): readonly LookupAddress[] | undefined {
    if (performance.now() - this.#lookedAt > FRESH_MS) this.#read()
    const name = hostname.toLowerCase().replace(/\.$/, '')
    // RFC 6761: a machine without a hosts file has this name all the same.
    return this.#names.get(name) ?? (name === 'localhost' ? LOCALHOST : undefined)
  }

  #read(): void {
    this.#lookedAt = performance.now()
    try {
      const { mtimeMs } = statSync(this.#path)
      if (mtimeMs === this.#changedMs) return
      this.#names = parseHosts(readFileSync(this.#path, 'utf8'))
      this.#changedMs = mtimeMs
    } catch {
      // Some containers have no such file: then it names nothing.
      this.#names = new Map()
      this.#changedMs = Number.NaN
    }
  }
}

const LOCALHOST: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

function parseHosts(text: string): Map<string, LookupAddress[]> {
  const names = new Map<string, LookupAddress[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...aliases] = line.replace(/#.*/, '').trim().split(/\s+/)
    const family = isIP(address)
    if (family === 0) continue
    for (const alias of aliases) {
      const name = alias.toLowerCase()
      names.set(name, [...(names.get(name) ?? []), { address, family }])
    }
  }
  return names
}
