import type { Socket } from 'node:net'
import type { Log } from '@posthorn/engine'
import { sleep } from '@posthorn/engine/internal'
import { Client, type ClientConfig } from 'pg'
import { isReadOnly } from '../queries.ts'

/** A host that does not answer for so long is passed over. */
const ANSWER_MS = 3_000
/** Between two looks at whether the server in use still takes writes. */
const WATCH_MS = 2_000
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

/**
 * Finds the server that takes writes, and finds it again whenever a connection fails or ends, or the
 * server does not answer. A server that has lost its network ends no connection: statements under way
 * would wait for a quarter of an hour, so those connections are ended here once another takes writes.
 */
export async function openHosts(urls: readonly string[], log: Log): Promise<DatabaseHosts> {
  const ended = new AbortController()
  const clients = new Map<Client, string>()
  let at = 0
  let isOpen = false
  let finding: Promise<void> | undefined

  const tryAll = async (): Promise<boolean> => {
    for (let tries = 0; tries < urls.length; tries += 1) {
      const next = (at + tries) % urls.length
      if (!(await takesWrites(urls[next] ?? ''))) continue
      if (isOpen && next !== at) {
        log.warn({ host: hostOf(urls[next]) }, 'another database takes writes now')
      }
      at = next
      for (const [client, url] of clients) if (url !== urls[at]) abandon(client)
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
  const doubt = () => (finding ??= find().finally(() => (finding = undefined)))
  const watch = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      await untilReadOnly(urls[at] ?? '', ended.signal)
      if (ended.signal.aborted) return
      await doubt()
      await sleep(FIRST_PAUSE_MS, ended.signal)
    }
  }
  if (!(await tryAll())) {
    throw new Error(`None of the databases takes writes: ${urls.map(hostOf).join(', ')}`)
  }
  isOpen = true

  class HostClient extends Client {
    constructor(config?: string | ClientConfig) {
      const options = typeof config === 'string' ? {} : config
      const url = urls[at] ?? ''
      super({ ...options, connectionString: url })
      clients.set(this, url)
      this.on('error', () => void doubt())
      this.on('end', () => {
        clients.delete(this)
        void doubt()
      })
    }
  }
  void watch()
  return {
    Client: HostClient,
    current: () => urls[at] ?? '',
    close: () => ended.abort(),
  }
}

async function takesWrites(url: string): Promise<boolean> {
  const client = createProbe(url)
  try {
    await client.connect()
    return !(await isReadOnly(client))
  } catch {
    return false
  } finally {
    abandon(client)
  }
}

/** Looks at the server again and again, until it takes no writes or does not answer. */
async function untilReadOnly(url: string, signal: AbortSignal): Promise<void> {
  const client = createProbe(url)
  try {
    await client.connect()
    while (!signal.aborted && !(await isReadOnly(client))) await sleep(WATCH_MS, signal)
  } catch {
    // No answer, or none in time.
  } finally {
    abandon(client)
  }
}

function createProbe(url: string): Client {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
    application_name: 'posthorn-hosts',
  })
  return client.on('error', () => undefined)
}

/** Ends a connection without a word to its server, which may not be there to hear it. */
function abandon(client: Client): void {
  const { connection } = client as unknown as { connection: { stream: Socket } }
  connection.stream.destroy()
}

function hostOf(url = ''): string {
  return new URL(url).host
}
