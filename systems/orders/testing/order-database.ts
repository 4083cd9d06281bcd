import { testDatabase, type TestDatabase } from '@posthorn/engine/testing'
import { topicMigrations } from '@posthorn/transports/postgres'
import { expect } from 'vitest'
import { orders } from '../index.ts'
import { selectWrongStock } from './queries.ts'

/** A database with the tables of this system and of the Postgres topics. */
export async function orderDatabase(): Promise<TestDatabase> {
  return testDatabase({ migrations: [await topicMigrations(), await orders.migrations()] })
}

/** What is reserved is what the orders hold, sku by sku, and nothing came or went. */
export async function expectStockAddsUp({ pool }: TestDatabase): Promise<void> {
  expect(await selectWrongStock(pool, 1_000_000)).toEqual([])
}
