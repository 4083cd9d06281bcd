// What openapi.mjs, schema.mjs and licences.mjs have in common: files that are written by a program.

import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { temporaryPostgres } from '@posthorn/postgres'
import { Pool } from 'pg'
import { readText } from './command.mjs'

/** Writes the file, or with `--check` says whether it is up to date. */
export function writeOrCheck(file, text, complaint) {
  if (!process.argv.includes('--check')) return writeFileSync(file, text)
  if (readText(file) === text) return undefined
  console.error(complaint)
  process.exitCode = 1
}

/** Runs the work on a new database of DATABASE_URL, or of an own server, and removes it. */
export async function onNewDatabase(work) {
  const own = process.env.DATABASE_URL ? undefined : await temporaryPostgres()
  const server = own?.url ?? process.env.DATABASE_URL
  const name = `posthorn_generated_${randomBytes(6).toString('hex')}`
  const admin = new Pool({ connectionString: server, max: 1 })
  try {
    await admin.query(`create database ${name}`)
    const url = new URL(server)
    url.pathname = `/${name}`
    return await work(url.href)
  } finally {
    await admin.query(`drop database if exists ${name} with (force)`)
    await admin.end()
    await own?.close()
  }
}
