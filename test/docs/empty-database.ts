import { randomBytes } from 'node:crypto'
import { serverAddress } from '@posthorn/engine/testing'
import { Client } from 'pg'

/** Runs something on an empty database of the tests' server. It is kept if that throws. */
export function withEmptyDatabase<Result>(work: (url: string) => Promise<Result>): Promise<Result> {
  return withDatabase('template0', work)
}

/** The same on a copy of a database without connections. */
export async function withCopy<Result>(
  url: string,
  work: (url: string) => Promise<Result>,
): Promise<Result> {
  return withDatabase(new URL(url).pathname.slice(1), work)
}

async function withDatabase<Result>(
  template: string,
  work: (url: string) => Promise<Result>,
): Promise<Result> {
  const name = `posthorn_docs_${randomBytes(6).toString('hex')}`
  const url = new URL(await serverAddress('DATABASE_URL'))
  url.pathname = `/${name}`
  await onServer(`create database ${name} template ${template}`)
  try {
    const result = await work(url.href)
    await onServer(`drop database ${name} with (force)`)
    return result
  } catch (error) {
    process.stderr.write(`kept for a look: database ${name}\n`)
    throw error
  }
}

async function onServer(statement: string): Promise<void> {
  const client = new Client(await serverAddress('DATABASE_URL'))
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
