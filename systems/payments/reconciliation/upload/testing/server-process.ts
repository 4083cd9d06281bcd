import { Pool } from 'pg'
import { peakMemoryMb } from '@posthorn/system/testing'
import { serve } from './serving.ts'

/** A server of its own: writes its address, serves until it is killed, and answers with its memory. */
const pool = new Pool({ connectionString: process.env['CHILD_DATABASE_URL'], max: 5 })
pool.on('error', () => undefined)
const folder = process.env['RECONCILIATION_SPOOL_FOLDER']
const { url } = await serve(pool, folder ? { RECONCILIATION_SPOOL_FOLDER: folder } : {})
process.on('message', () => process.send?.({ peakMb: peakMemoryMb() }))
process.stdout.write(`${url}\n`)
