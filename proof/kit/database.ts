import { Client } from 'pg'

/** Runs the work on a connection of its own. */
export async function onClient<Result>(
  connectionString: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ connectionString })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Creates a database on a server; returns its address. */
export async function createDatabase(server: string, name: string, options = ''): Promise<string> {
  await onClient(server, (client) => client.query(`create database ${name} ${options}`))
  return databaseAt(server, name)
}

/** The address of a database on a server. */
export function databaseAt(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}
