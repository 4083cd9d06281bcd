import { startRole, type Role } from './role.ts'

/*
 * One part of the system, that runs until it reaches the point it is given, says so, and stands still
 * there: its parent kills it.
 */
const { ROLE, CRASH_AT, DATABASE_URL = '', GATEWAY = '' } = process.env

await startRole(ROLE as Role, {
  databaseUrl: DATABASE_URL,
  gatewayUrl: GATEWAY,
  async reach(point) {
    if (point !== CRASH_AT) return
    process.stdout.write(`${point}\n`)
    // An interval keeps the process alive; the promise never ends.
    setInterval(() => undefined, 60_000)
    await new Promise(() => undefined)
  },
})
