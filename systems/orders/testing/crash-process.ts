import { haltAtCrashPoint } from '@posthorn/system/testing'
import { startRole, type Role } from './role.ts'

/* One part of the system in a process of its own, which its parent kills at a point. */
const { ROLE, DATABASE_URL = '', GATEWAY = '' } = process.env

await startRole(ROLE as Role, {
  databaseUrl: DATABASE_URL,
  gatewayUrl: GATEWAY,
  reach: haltAtCrashPoint,
})
