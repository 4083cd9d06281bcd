import type { Pool, PoolClient } from 'pg'

/** The pool of a process that can be killed. */
export interface MortalPool {
  readonly pool: Pool
  /** From now on nothing of the process reaches the database: what it had in hand is as it left it. */
  kill(): void
}

type Connected = (error: Error, client: undefined, release: () => void) => void

/** Shares the connections of another pool until it is killed; what that pool has to say it does not hear. */
export function mortalPool(shared: Pool): MortalPool {
  let isKilled = false
  const unheard = () => pool
  const refuse = (...args: unknown[]): Promise<PoolClient> | undefined => {
    const error = new Error('the process was killed')
    const callback = args.at(-1)
    if (typeof callback !== 'function') return Promise.reject(error)
    ;(callback as Connected)(error, undefined, () => undefined)
    return undefined
  }
  const pool: Pool = new Proxy(shared, {
    get(target, name) {
      if (name === 'on' || name === 'off') return unheard
      if (isKilled && (name === 'connect' || name === 'query')) return refuse
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
  return { pool, kill: () => void (isKilled = true) }
}
