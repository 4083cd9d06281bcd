import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gatewaySettings } from '@posthorn/gateway'
import { createApp, createVerifier } from '@posthorn/http'
import { loadSystems, openSystems, readConfiguration } from '@posthorn/server'
import { Pool } from 'pg'
import { root, type SourceFile } from './source-files.ts'
import { readSource } from './source-text.ts'

/** Everything a system is called by: what it declares, not a list of words. */
export interface Identifier {
  readonly system: string
  readonly kind: 'package' | 'table' | 'outbox' | 'route' | 'setting' | 'metric' | 'error'
  readonly text: string
}

/** The identifiers of the systems below `systems/`, read from what each of them opens. */
export async function systemIdentifiers(): Promise<Identifier[]> {
  const folders = globSync('systems/*/index.ts', { cwd: root })
  const systems = (await loadSystems({})).filter(({ name }) =>
    folders.includes(`systems/${name}/index.ts`),
  )
  const configuration = readConfiguration({}, systems)
  const silent = { debug() {}, info() {}, warn() {}, error() {} }
  const found: Identifier[] = []
  // Systems take the settings of the gateway over as they are.
  const shared = new Set([...packageCodes(), ...packageTables(), ...Object.keys(gatewaySettings)])
  for (const system of systems) {
    const add = (kind: Identifier['kind'], texts: readonly string[]) =>
      found.push(...texts.map((text) => ({ system: system.name, kind, text })))
    const pool = new Pool()
    const options = { configuration, pool, log: silent, baseUrl: () => 'http://127.0.0.1' }
    const opened = await openSystems([system], options)
    add('package', [`@posthorn/${system.name}`])
    add(
      'outbox',
      // An outbox on a table of a package has the name that the package gives it.
      opened.outboxes.filter(({ table }) => !shared.has(table)).map(({ name }) => name),
    )
    add('setting', Object.keys(system.settings.properties))
    add(
      'metric',
      opened.measures.map(({ name }) => name),
    )
    add('table', tablesIn((await system.migrations()).migrations))
    add('route', await routesOf(opened.routes))
    add('error', codesOf(system.name))
    await pool.end()
  }
  const unique = new Map(found.map((each) => [each.text, each]))
  return [...unique.values()].filter(
    // What a package or two systems have belongs to no system.
    ({ text, system }) =>
      !shared.has(text) && !found.some((other) => other.text === text && other.system !== system),
  )
}

function packageCodes(): string[] {
  return globSync('packages/*/src/**/errors.ts', { cwd: root }).flatMap(codesIn)
}

function packageTables(): string[] {
  const files = globSync('packages/*/src/**/migrations/*.sql', { cwd: root })
  return tablesIn(files.map((path) => ({ sql: readFileSync(join(root, path), 'utf8') })))
}

function tablesIn(migrations: readonly { readonly sql: string }[]): string[] {
  const created = /^create (?:unlogged )?table (?:if not exists )?([a-z_]+\.[a-z_]+)/gm
  return migrations
    .flatMap(({ sql }) => [...sql.matchAll(created)].map(([, table = '']) => table))
    .filter((table) => !table.startsWith('posthorn.'))
}

async function routesOf(routes: Awaited<ReturnType<typeof openSystems>>['routes']) {
  const verify = createVerifier({ secret: 'a secret of at least thirty-two bytes' })
  const app = await createApp({ title: '', version: '', log: false, production: false, verify })
  const paths = new Set<string>()
  app.addHook('onRoute', ({ url }) => void paths.add(url))
  for (const add of routes) await add(app)
  await app.close()
  // The path as far as it is fixed: what follows are the ids of things.
  return [...paths]
    .map((path) => path.replace(/\/[:*].*$/, ''))
    .filter((path) => path.length > '/api/v1/'.length || !path.startsWith('/api'))
}

function codesOf(system: string): string[] {
  const files = globSync(`systems/${system}/**/{refusal,problems,errors}.ts`, { cwd: root })
  return files.flatMap(codesIn)
}

function codesIn(path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8')
  const catalogue = /export const \w*_(?:CODES|PROBLEMS) = \{\n([\s\S]*?)\n\} as const/.exec(text)
  return [...(catalogue?.[1] ?? '').matchAll(/^ {2}([A-Z][A-Z_0-9]*):/gm)].map(([, c = '']) => c)
}

/** Where a file of the core names a system, each as a line. */
export function findIdentifiers(
  { path, text }: SourceFile,
  identifiers: readonly Identifier[],
): string[] {
  const likely = identifiers.filter((each) => text.includes(each.text))
  if (likely.length === 0) return []
  const literals = readSource(text).literals.map((literal) => literal.text)
  return likely
    .filter(({ text: identifier }) => literals.some((literal) => names(literal, identifier)))
    .map(({ kind, text: identifier, system }) => `${path}: ${kind} ${identifier} of ${system}`)
}

/** As a whole word: `payments.payments` is not in `payments.payments_due`. */
function names(literal: string, identifier: string): boolean {
  for (let at = literal.indexOf(identifier); at >= 0; at = literal.indexOf(identifier, at + 1)) {
    const [before, after] = [literal[at - 1] ?? ' ', literal[at + identifier.length] ?? ' ']
    if (!/[\w.-]/.test(before) && !/[\w-]/.test(after)) return true
  }
  return false
}
