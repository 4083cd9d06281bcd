import { createInterface } from 'node:readline'
import {
  createRelay,
  engineMigrations,
  migrate,
  migrationsFrom,
  transaction,
} from '@posthorn/engine'
import type { Log } from '@posthorn/engine'
import { postgresTopics, topicMigrations } from '@posthorn/transports/postgres'
import { readConfiguration } from './configuration.ts'
import { openDatabase } from './database.ts'
import { greet, greeter, greetings } from './example/greeting.ts'

/** Warnings and errors, one line each. */
const log: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: (details, message) => console.warn(message, details),
  error: (details, message) => console.error(message, details),
}

async function main(): Promise<void> {
  const stopped = untilTerminated(process)
  const database = await openDatabase(readConfiguration(process.env))
  console.log(database.where)
  const { pool } = database
  const applied = await migrate(pool, [
    await engineMigrations(),
    await topicMigrations(),
    await migrationsFrom('example', new URL('./example/migrations/', import.meta.url)),
  ])
  console.log(applied.length > 0 ? `${applied.length} migrations applied` : 'migrations up to date')

  const topics = postgresTopics({ pool, log })
  const told = (name: string, times: number) =>
    console.log(`delivered: hello ${name}, for the ${times}. time`)
  await topics.subscribe(greeter(pool, told))
  const relay = createRelay({ pool, outboxes: [greetings], transports: { topics }, log })
  await relay.start()
  console.log(`relay ${relay.name} delivers ${greetings.name} to topic "example.greetings"`)
  await transaction(pool, (tx) => greet(tx, 'world'))
  readNames((name) => transaction(pool, (tx) => greet(tx, name)))
  console.log(
    'Type a name and press Enter: a row and its message, in one transaction. Ctrl-C ends.',
  )

  await stopped
  await relay.stop()
  await topics.close()
  await database.close()
  console.log('stopped; nothing was lost')
}

/** Every line of a terminal is a name. */
function readNames(take: (name: string) => Promise<unknown>): void {
  if (!process.stdin.isTTY) return
  createInterface({ input: process.stdin }).on('line', (line) => {
    const name = line.trim().slice(0, 200)
    if (name !== '') take(name).catch((error: unknown) => console.error('not stored:', error))
  })
}

function untilTerminated(host: NodeJS.Process): Promise<void> {
  return new Promise((resolve) => {
    host.once('SIGTERM', () => resolve())
    host.once('SIGINT', () => resolve())
  })
}

main()
  .then(() => process.exit(0))
  .catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error)
    process.exit(1)
  })
