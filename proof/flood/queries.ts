import { Client } from 'pg'

/** Makes a database on the server, and says what it is called. */
export async function createDatabase(url: string, name: string): Promise<string> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const database = `flood-${name}`
    await client.query(`create database ${client.escapeIdentifier(database)}`)
    return database
  } finally {
    await client.end()
  }
}
