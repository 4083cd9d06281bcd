import { createApp, createVerifier, signToken, type App } from '@posthorn/http'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { readSettings } from '@posthorn/system'
import { profileRoutes } from '../../profiles/routes.ts'
import { uploadRoutes } from '../routes.ts'
import { uploadSettings } from '../../settings.ts'

const SECRET = 'a secret that only the tests of uploads know'

export interface Serving {
  readonly app: App
  readonly url: string
}

/** Uploads and profiles behind a real server on a free port. */
export async function serve(
  pool: Pool,
  env: Readonly<Record<string, string>> = {},
): Promise<Serving> {
  const app = await createApp({
    title: 'uploads',
    version: '1',
    production: false,
    rateLimit: false,
    log: false,
    drainMs: 1_000,
    verify: createVerifier({ secret: SECRET }),
  })
  const { values, mistakes } = readSettings(Type.Object(uploadSettings), { env, production: false })
  if (mistakes.length > 0) throw new Error(mistakes.join('\n'))
  await uploadRoutes(app, { pool, settings: values })
  profileRoutes(app, { pool })
  return { app, url: await app.listen({ host: '127.0.0.1', port: 0 }) }
}

export function tokenOf({ sub = 'ada', org = 'acme' }: { sub?: string; org?: string } = {}) {
  return signToken({ secret: SECRET, sub, org, role: 'member' })
}
