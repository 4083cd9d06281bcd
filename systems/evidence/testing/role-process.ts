import { startRole, type Role } from './role.ts'

/*
 * One part of the system, that runs until it reaches the point it is given, says so, and stands still
 * there: its parent kills it.
 */
const { env } = process

await startRole(env['ROLE'] as Role, {
  databaseUrl: env['ROLE_DATABASE_URL'] ?? '',
  folder: env['ROLE_FOLDER'] ?? '',
  documentsUrl: env['ROLE_DOCUMENTS_URL'] ?? '',
  brokers: env['ROLE_BROKERS'] ?? '',
  prefix: env['ROLE_PREFIX'] ?? '',
  org: env['ROLE_ORG'] ?? '',
  async reach(point) {
    if (point !== env['CRASH_AT']) return
    process.stdout.write(`${point}\n`)
    // An interval keeps the process alive; the promise never ends.
    setInterval(() => undefined, 60_000)
    await new Promise(() => undefined)
  },
})
