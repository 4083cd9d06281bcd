// node scripts/openapi.mjs [--check]: writes the dashboard's types of the API as a server with the
// configured systems describes it, or tells whether they are up to date. Uses DATABASE_URL, or its
// own PostgreSQL.

import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryPostgres } from '@posthorn/postgres'
import { createLog, loadSystems, readConfiguration, startServer } from '@posthorn/server'
import { Pool } from 'pg'
import { format, resolveConfig } from 'prettier'

const FILE = fileURLToPath(new URL('../apps/dashboard/src/api/schema.d.ts', import.meta.url))
const HEAD = `// The API as a server with all systems describes it at /openapi.json.
// Written by \`node scripts/openapi.mjs\`; a change belongs into a route's schema.
`

// A package of the dashboard, with a TypeScript of its own: it is not to be found from here.
const ofDashboard = createRequire(new URL('../apps/dashboard/package.json', import.meta.url))
const { default: openapiTS, astToString } = ofDashboard('openapi-typescript')

/** What the API says of itself, by a server on the database that only answers. */
async function describeApi(databaseUrl) {
  const systems = await loadSystems({})
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-openapi-'))
  const env = {
    PORT: '0',
    DATABASE_URL: databaseUrl,
    POSTHORN_ROLES: 'api',
    POSTHORN_REMOTE_DEVELOPMENT: 'true',
    POSTHORN_DATA_DIR: folder,
    POSTHORN_LOG_LEVEL: 'silent',
  }
  try {
    const configuration = readConfiguration(env, systems)
    const server = await startServer(configuration, { systems, log: createLog('silent') })
    try {
      return await (await fetch(`${server.url}/openapi.json`)).json()
    } finally {
      await server.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs the work on a new database and removes it. */
async function onDatabase(server, work) {
  const name = `posthorn_openapi_${randomBytes(6).toString('hex')}`
  const admin = new Pool({ connectionString: server, max: 1 })
  try {
    await admin.query(`create database ${name}`)
    const url = new URL(server)
    url.pathname = `/${name}`
    return await work(url.href)
  } finally {
    await admin.query(`drop database if exists ${name} with (force)`)
    await admin.end()
  }
}

async function typesOf(description) {
  const text = HEAD + astToString(await openapiTS(description, { alphabetize: true }))
  return format(text, { ...(await resolveConfig(FILE)), filepath: FILE })
}

function fileText() {
  try {
    return readFileSync(FILE, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return ''
    throw error
  }
}

const server = process.env.DATABASE_URL ? undefined : await temporaryPostgres()
try {
  const description = await onDatabase(server?.url ?? process.env.DATABASE_URL, describeApi)
  const text = await typesOf(description)
  if (!process.argv.includes('--check')) writeFileSync(FILE, text)
  else if (fileText() !== text) {
    console.error("the dashboard's types are not what the routes say: node scripts/openapi.mjs")
    process.exitCode = 1
  }
} finally {
  await server?.close()
}
