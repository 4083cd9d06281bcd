import { silentLog } from '@posthorn/engine'
import { createTcpProxy, dyingPostgres } from '@posthorn/engine/testing'
import { temporaryPostgres } from '@posthorn/postgres'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from './database.ts'
import { splitHosts } from './database-hosts.ts'

test('several hosts are several addresses, and one is as it was', () => {
  const one = 'postgresql://ada:se%2Ccret@db.example:5432/shop?sslmode=disable'
  expect(splitHosts(one)).toEqual([one])
  expect(
    splitHosts('postgresql://ada:x@a:5432,b:5433/shop?target_session_attrs=read-write&sslmode=no'),
  ).toEqual([
    'postgresql://ada:x@a:5432/shop?sslmode=no',
    'postgresql://ada:x@b:5433/shop?sslmode=no',
  ])
  expect(() => splitHosts('postgresql://a,b/shop?target_session_attrs=standby')).toThrow(
    'target_session_attrs must be one of read-write, primary, any, not standby',
  )
})

test(
  'connections go to the server that takes writes, and follow it',
  { timeout: 120_000 },
  async () => {
    const [one, other] = await Promise.all([server(), server()])
    // As a replica answers.
    await one.readOnly('on')
    const password = 'postgres'
    const line = await createTcpProxy({ host: '127.0.0.1', port: other.port })
    onTestFinished(() => line.close())
    const hosts = `${one.host},${line.host}:${line.port}`
    const url = `postgresql://chaos:${password}@${hosts}/postgres`
    const database = await openDatabase(
      { databaseUrl: url, dataFolder: '', poolSize: 2 },
      silentLog,
    )
    onTestFinished(() => database.close())
    const writes = async () => {
      const { rows } = await database.pool
        .query(`create temporary table if not exists t (); select inet_server_port() as port`)
        .then(
          (results) => (results as unknown as { rows: { port: number }[] }[])[1] ?? { rows: [] },
        )
      return rows[0]?.port
    }
    expect(await writes()).toBe(other.port)
    // A server without its network ends no connection.
    const waiting = database.pool.query('select pg_sleep(600)').catch((error: Error) => error)
    await one.readOnly('off')
    line.stall()
    const portAfter = () => writes().catch(() => undefined)
    await expect.poll(portAfter, { timeout: 60_000 }).toBe(one.port)
    expect(await waiting).toBeInstanceOf(Error)
    await line.heal()
    await one.kill()
    await expect.poll(portAfter, { timeout: 60_000 }).toBe(other.port)
  },
)

test('a connection that dies with the bytes that open it does not end the process', async () => {
  const { url: databaseUrl, close } = await dyingPostgres()
  onTestFinished(close)
  await expect(
    openDatabase({ databaseUrl, dataFolder: '', poolSize: 1 }, silentLog).then(() => 'open'),
  ).rejects.toBeInstanceOf(Error)
})

/** A server with a user that both have. */
async function server() {
  const postgres = await temporaryPostgres({ settings: { fsync: 'off' } })
  onTestFinished(() => postgres.close())
  const { host, port } = new URL(postgres.url)
  const admin = async (statement: string) => {
    const { Client } = await import('pg')
    const client = new Client({ connectionString: postgres.url })
    await client.connect()
    await client.query(`begin read write; ${statement}; commit`)
    await client.end()
  }
  await admin(`create role chaos superuser login password 'postgres'`)
  return {
    host,
    port: Number(port),
    kill: () => postgres.kill(),
    readOnly: (value: 'on' | 'off') =>
      admin(`alter database postgres set default_transaction_read_only = ${value}`),
  }
}
