import type { Log } from '@posthorn/engine'
import { sleep } from '@posthorn/engine/operate'
import { Client, type ClientConfig } from 'pg'
import { isReadOnly } from './queries.ts'

/** A host that does not answer for so long is passed over. */
const ANSWER_MS = 3_000
const FIRST_PAUSE_MS = 200
const LAST_PAUSE_MS = 2_000

/** What a session must be for us, of all that libpq knows: whoever sends must write. */
const SESSIONS: readonly string[] = ['read-write', 'primary', 'any']

/** Several servers of which one takes writes, and which one that is now. */
export interface DatabaseHosts {
  /** For pools: every new connection goes to the server that takes writes. */
  readonly Client: typeof Client
  /** The address of that server. */
  current(): string
  close(): void
}

/**
 * The addresses that `postgresql://user:password@a:5432,b:5432/db` names, one for each host; a single
 * one as it is. Throws a `TypeError` that says what is wrong.
 */
export function splitHosts(url: string): string[] {
  const [, before = '', hosts = '', after = ''] =
    /^(\w+:\/\/(?:[^@/]*@)?)([^/?]*)(.*)$/.exec(url) ?? []
  if (!hosts.includes(',')) return [url]
  const urls = hosts.split(',').map((host) => new URL(`${before}${host.trim()}${after}`))
  return urls.map((each) => {
    const wanted = each.searchParams.get('target_session_attrs') ?? 'read-write'
    if (!SESSIONS.includes(wanted)) {
      throw new TypeError(
        `target_session_attrs must be one of ${SESSIONS.join(', ')}, not ${wanted}`,
      )
    }
    // The driver takes what it does not know for a setting of the session.
    each.searchParams.delete('target_session_attrs')
    return each.href
  })
}

/** Finds the server that takes writes, and finds it again whenever a connection fails or ends. */
export async function openHosts(urls: readonly string[], log: Log): Promise<DatabaseHosts> {
  const ended = new AbortController()
  let at = 0
  let finding: Promise<void> | undefined

  const tryAll = async (): Promise<boolean> => {
    for (let tries = 0; tries < urls.length; tries += 1) {
      const next = (at + tries) % urls.length
      if (!(await takesWrites(urls[next] ?? ''))) continue
      if (next !== at) log.warn({ host: hostOf(urls[next]) }, 'another database takes writes now')
      at = next
      return true
    }
    return false
  }
  const find = async (): Promise<void> => {
    for (let pauseMs = FIRST_PAUSE_MS; !ended.signal.aborted;) {
      if (await tryAll()) return
      await sleep(pauseMs, ended.signal)
      pauseMs = Math.min(pauseMs * 2, LAST_PAUSE_MS)
    }
  }
  const doubt = () => {
    finding ??= find().finally(() => (finding = undefined))
  }
  if (!(await tryAll())) {
    throw new Error(`None of the databases takes writes: ${urls.map(hostOf).join(', ')}`)
  }

  class HostClient extends Client {
    constructor(config?: string | ClientConfig) {
      const options = typeof config === 'string' ? {} : config
      super({ ...options, connectionString: urls[at] ?? '' })
      this.on('error', doubt)
      this.on('end', doubt)
    }
  }
  return {
    Client: HostClient,
    current: () => urls[at] ?? '',
    close: () => ended.abort(),
  }
}

async function takesWrites(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: ANSWER_MS })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return !(await isReadOnly(client))
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}

function hostOf(url = ''): string {
  return new URL(url).host
}
