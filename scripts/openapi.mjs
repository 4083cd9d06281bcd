// node scripts/openapi.mjs [--check]: writes the dashboard's types of the API as a server with the
// configured systems describes it, or tells whether they are up to date. Uses DATABASE_URL, or its
// own PostgreSQL.

import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createLog, loadSystems, readConfiguration, startServer } from '@posthorn/server'
import { format, resolveConfig } from 'prettier'
import { onNewDatabase, writeOrCheck } from './generated.mjs'

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

async function typesOf(description) {
  const text = HEAD + astToString(await openapiTS(description, { alphabetize: true }))
  return format(text, { ...(await resolveConfig(FILE)), filepath: FILE })
}

const text = await typesOf(await onNewDatabase(describeApi))
const complaint = "the dashboard's types are not what the routes say: node scripts/openapi.mjs"
writeOrCheck(FILE, text, complaint)
