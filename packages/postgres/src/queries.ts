import { Client } from 'pg'

/** Asks a server for its version ("18.4"); throws if it accepts no connection. */
export async function serverVersion(url: string): Promise<string> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  // A server that stops meanwhile: the query rejects, and the event must have a listener.
  client.on('error', () => undefined)
  await client.connect()
  try {
    const { rows } = await client.query<{ server_version: string }>('show server_version')
    return rows[0]?.server_version ?? 'unknown'
  } finally {
    await client.end()
  }
}
