import { Client, type ClientConfig, type Pool } from 'pg'

/** A connection of its own to where a pool's go; it is not connected yet. */
export function ownClient(pool: Pool): Client {
  return new (clientOf(pool))(settingsOf(pool))
}

/** The pool's own kind of client: one that authenticates in a way of its own does so here, too. */
function clientOf(pool: Pool): typeof Client {
  return (pool.options.Client as typeof Client | undefined) ?? Client
}

/** All that the pool was given. A copy by spreading would lack the password, which is hidden there. */
function settingsOf({ options }: Pool): ClientConfig {
  const settings = Object.getOwnPropertyDescriptors(options)
  return Object.defineProperties({}, { ...settings, keepAlive: { value: true, enumerable: true } })
}
