import { haltAtCrashPoint } from '@posthorn/system/testing'
import { startRole, type Role } from './role.ts'

/* One part of the system in a process of its own, which its parent kills at a point. */
const { env } = process

await startRole(env['ROLE'] as Role, {
  databaseUrl: env['ROLE_DATABASE_URL'] ?? '',
  folder: env['ROLE_FOLDER'] ?? '',
  documentsUrl: env['ROLE_DOCUMENTS_URL'] ?? '',
  brokers: env['ROLE_BROKERS'] ?? '',
  prefix: env['ROLE_PREFIX'] ?? '',
  org: env['ROLE_ORG'] ?? '',
  reach: haltAtCrashPoint,
})
