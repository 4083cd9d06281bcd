import { toMs, type Duration } from '../duration.ts'
import { DefinitionError } from '../errors.ts'
import { consoleLog, type Log } from '../log.ts'
import { sleep } from '../sleep.ts'
import type { Relay } from './relay.ts'

export interface RelaysOptions {
  /** Until a relay that could not start is started again. Default `30s`. */
  readonly retry?: Duration
  /** How long `start` waits for databases that cannot be reached. Default `5s`. */
  readonly patience?: Duration
  /** Default: warnings and errors on the console. */
  readonly log?: Log
}

/** How a relay of a database is doing. */
export interface RelayStatus {
  readonly name: string
  /** `starting`: its database is waited for; `failed`: it could not start and is started again later. */
  readonly state: 'stopped' | 'starting' | 'running' | 'failed'
  /** Why it failed. */
  readonly error: unknown
}

/** The relays of several databases in one process; what happens to one is nothing to the others. */
export interface Relays {
  /** Begins all. Resolves once each runs or has failed, or after `patience`; never rejects. */
  start(): Promise<void>
  /** Stops all, and waits for each. */
  stop(): Promise<void>
  /** `start`, then `stop` when the signal aborts. */
  run(options: { signal: AbortSignal }): Promise<void>
  /** `runOnce` of every database that answers: returns the number of messages claimed. */
  runOnce(): Promise<number>
  /** Another database, from now on. */
  add(name: string, relay: Relay): void
  /** Stops the relay of a database and forgets it. */
  remove(name: string): Promise<void>
  status(): RelayStatus[]
}

/**
 * Runs a relay for each of several databases, such as those of tenants that have one each:
 * `relays({ acme: createRelay(…), globex: posthorn(…) })`.
 */
export function relays(
  members: Readonly<Record<string, Relay>>,
  { retry = '30s', patience = '5s', log = consoleLog }: RelaysOptions = {},
): Relays {
  const retryMs = toMs(retry)
  const patienceMs = toMs(patience)
  const all = new Map<string, Member>()
  let isStarted = false
  const memberOf = (name: string, relay: Relay) => new Member(name, relay, { retryMs, log })
  for (const [name, relay] of Object.entries(members)) all.set(name, memberOf(name, relay))
  const group: Relays = {
    async start() {
      isStarted = true
      const given = AbortSignal.timeout(patienceMs)
      const begun = [...all.values()].map((member) => member.start())
      await Promise.race([Promise.all(begun), sleep(patienceMs, given)])
    },
    async stop() {
      isStarted = false
      await Promise.all([...all.values()].map((member) => member.stop()))
    },
    async run({ signal }) {
      await group.start()
      if (!signal.aborted) {
        await new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => resolve(), { once: true })
        })
      }
      await group.stop()
    },
    async runOnce() {
      const claimed = await Promise.all([...all.values()].map((member) => member.runOnce()))
      return claimed.reduce((sum, each) => sum + each, 0)
    },
    add(name, relay) {
      if (all.has(name)) throw new DefinitionError(name, 'relays', 'has a relay of this name')
      const member = memberOf(name, relay)
      all.set(name, member)
      if (isStarted) void member.start()
    },
    async remove(name) {
      const member = all.get(name)
      all.delete(name)
      await member?.stop()
    },
    status: () => [...all.values()].map((member) => member.status),
  }
  return group
}

/** One relay that is started again until it runs. From then on it sees to itself. */
class Member {
  readonly #name: string
  readonly #relay: Relay
  readonly #options: { readonly retryMs: number; readonly log: Log }
  #state: RelayStatus['state'] = 'stopped'
  #error: unknown
  #stopped = new AbortController()
  #keeping: Promise<void> | undefined

  constructor(name: string, relay: Relay, options: { retryMs: number; log: Log }) {
    this.#name = name
    this.#relay = relay
    this.#options = options
  }

  get status(): RelayStatus {
    return { name: this.#name, state: this.#state, error: this.#error }
  }

  /** Resolves once it runs or has failed for the first time. */
  async start(): Promise<void> {
    if (this.#keeping) return
    this.#stopped = new AbortController()
    const first = Promise.withResolvers<void>()
    this.#keeping = this.#keep(this.#stopped.signal, first.resolve)
    await first.promise
  }

  async #keep(signal: AbortSignal, tried: () => void): Promise<void> {
    const { retryMs, log } = this.#options
    while (!signal.aborted) {
      this.#state = 'starting'
      try {
        await this.#relay.start()
        if (!signal.aborted) this.#state = 'running'
        this.#error = undefined
        break
      } catch (error) {
        this.#state = 'failed'
        this.#error = error
        log.error(
          { database: this.#name, err: error, retryInMs: retryMs },
          'relay of one database not started; others continue',
        )
      }
      tried()
      await sleep(retryMs, signal)
    }
    tried()
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    await this.#relay.stop().catch((error: unknown) => {
      const { log } = this.#options
      log.error({ database: this.#name, err: error }, 'relay of one database not stopped cleanly')
    })
    await this.#keeping
    this.#keeping = undefined
    this.#state = 'stopped'
  }

  async runOnce(): Promise<number> {
    try {
      return await this.#relay.runOnce()
    } catch (error) {
      const { log } = this.#options
      log.error({ database: this.#name, err: error }, 'one database not checked; others continue')
      return 0
    }
  }
}
