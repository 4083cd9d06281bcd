import { Pool } from 'pg'

/** What the pages for operators take as given: a pool, and the shop's two outboxes. */
export { orderEvents, shopEvents } from './shop.ts'
export const pool = new Pool({
  connectionString: process.env['DATABASE_URL'],
  allowExitOnIdle: true,
})
