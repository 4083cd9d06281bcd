import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestDatabase } from '@posthorn/engine/testing'
import { signToken, type Role } from '@posthorn/http'
import type { System } from '@posthorn/system'
import { afterAll } from 'vitest'
import { readConfiguration } from '../configuration/configuration.ts'
import { greetings } from './greetings/index.ts'
import { createLog } from '../log.ts'
import { startServer, type Server } from '../server.ts'
import { call, TEST_KEY } from './server-process.ts'

export interface TestServer extends Server {
  readonly url: string
  readonly secret: string
  /** A token that was not printed anywhere. */
  tokenFor(claims: { sub?: string; org?: string; role?: Role }): Promise<string>
  /** Calls a path as an operator of the platform. */
  call(
    path: string,
    options?: { body?: unknown; method?: string; token?: string },
  ): ReturnType<typeof call>
}

/** A server in this process, on a test's database; closed after the file's tests. */
export async function testServer(
  database: Pick<TestDatabase, 'url'>,
  {
    env = {},
    systems = [greetings],
  }: { env?: NodeJS.ProcessEnv; systems?: readonly System[] } = {},
): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-server-'))
  const secret = randomBytes(32).toString('base64url')
  const configuration = readConfiguration(
    {
      PORT: '0',
      DATABASE_URL: database.url,
      POSTHORN_DATA_DIR: folder,
      POSTHORN_REMOTE_DEVELOPMENT: 'true',
      POSTHORN_JWT_SECRET: secret,
      POSTHORN_LOG_LEVEL: 'silent',
      POSTHORN_RATE_LIMIT: '0',
      POSTHORN_ENCRYPTION_KEYS: TEST_KEY,
      ...env,
    },
    systems,
  )
  const server = await startServer(configuration, {
    systems,
    log: createLog(configuration.logLevel),
  })
  afterAll(async () => {
    await server.close()
    await rm(folder, { recursive: true, force: true })
  })
  const url = server.url ?? ''
  const tokenFor: TestServer['tokenFor'] = ({ sub = 'ada', org = 'demo', role = 'member' }) =>
    signToken({ secret, sub, org, role, expiresIn: '1h' })
  const operator = await tokenFor({ sub: 'root', role: 'platform' })
  return {
    ...server,
    url,
    secret,
    tokenFor,
    call: (path, options = {}) => call(`${url}${path}`, { token: operator, ...options }),
  }
}
