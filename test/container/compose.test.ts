import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { readConfiguration } from '@posthorn/server'
import { beforeAll, describe, expect, test } from 'vitest'
import { ensureCompose } from '../../scripts/services/index.mjs'

const root = join(import.meta.dirname, '../..')
const SECRETS = { POSTHORN_JWT_SECRET: 'j'.repeat(32), POSTHORN_ENCRYPTION_KEYS: 'k'.repeat(32) }

interface Service {
  readonly environment?: NodeJS.ProcessEnv
  readonly command?: readonly string[] | null
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly ports?: readonly { readonly host_ip?: string }[]
  readonly healthcheck?: { readonly test?: string }
  readonly image: string
}

let compose = ''

beforeAll(async () => {
  compose = await ensureCompose()
}, 900_000)

/** What Docker makes of a file: its schema checked, anchors resolved, names looked up. */
async function load(file: string, ...flags: string[]): Promise<Record<string, Service>> {
  const args = ['-format', 'json', ...flags, basename(file)]
  // Paths are read from the folder of the file.
  const { stdout } = await promisify(execFile)(compose, args, { cwd: join(root, dirname(file)) })
  return JSON.parse(stdout).services
}

/** The program reads no environment, so that variables stay as they are written. */
const loadAsWritten = (file: string) => load(file, '-no-interpolation')

/** `${NAME:-default}` and `${NAME:?message}`, the two forms that the file has. */
function fillIn(environment: NodeJS.ProcessEnv, env: Record<string, string>): NodeJS.ProcessEnv {
  const fill = (text = '') =>
    text.replaceAll(/\$\{(\w+):([-?])(.*?)\}/g, (_, name, kind, other) => {
      const value = env[name] ?? (kind === '-' ? other : undefined)
      if (value === undefined) throw new Error(`${name}: ${other}`)
      return value
    })
  return Object.fromEntries(Object.entries(environment).map(([name, text]) => [name, fill(text)]))
}

describe('deploy/compose.yaml', () => {
  test('has the roles apart, the migration before them, and the database before that', async () => {
    const { postgres, migrate, ...roles } = await loadAsWritten('deploy/compose.yaml')
    expect(Object.keys(roles).toSorted()).toEqual(['api', 'relay', 'worker'])
    expect(postgres?.healthcheck?.test).toContain('pg_isready')
    expect(migrate?.depends_on).toMatchObject({ postgres: { condition: 'service_healthy' } })
    expect(existsSync(join(root, migrate?.command?.[0] ?? 'nowhere'))).toBe(true)
    for (const service of Object.values(roles)) {
      expect(service).toMatchObject({
        image: 'posthorn',
        build: { context: root, dockerfile: 'Dockerfile' },
        read_only: true,
        cap_drop: ['ALL'],
        depends_on: { migrate: { condition: 'service_completed_successfully' } },
      })
    }
    expect(roles['api']?.ports).toMatchObject([{ host_ip: '127.0.0.1', target: 4600 }])
  })

  test('gives each process what the server takes, and its own role', async () => {
    const { postgres: _, ...ours } = await loadAsWritten('deploy/compose.yaml')
    for (const [name, { environment = {} }] of Object.entries(ours)) {
      // As in the image.
      const filled = fillIn(environment, SECRETS)
      const env = { NODE_ENV: 'production', HOST: '0.0.0.0', PORT: '4600', ...filled }
      const { roles, production } = readConfiguration(env, [])
      expect(production).toBe(true)
      if (name !== 'migrate') expect([...roles]).toEqual([name])
    }
  })

  test('does not start without its secrets', async () => {
    const error: unknown = await load('deploy/compose.yaml').catch((reason: unknown) => reason)
    for (const name of Object.keys(SECRETS)) {
      const words = `required variable ${name} is missing a value: 32 characters or more`
      expect(String(error)).toContain(words)
    }
  })
})

test('the servers for tests are what Docker takes, and only this machine reaches them', async () => {
  const services = await load('compose.yaml')
  expect(Object.keys(services).toSorted()).toEqual(['kafka', 'postgres', 'rabbitmq', 's3'])
  for (const { ports = [] } of Object.values(services)) {
    expect(ports.map(({ host_ip: address }) => address)).toEqual(ports.map(() => '127.0.0.1'))
  }
})
