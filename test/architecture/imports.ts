import { builtinModules } from 'node:module'
import { posix } from 'node:path'
import { isTest, type SourceFile } from './source-files.ts'
import { readSource } from './source-text.ts'
import type { Workspace } from './workspaces.ts'

const name = (folder: string) => `@posthorn/${folder}`
const FOUNDATIONS = [
  'engine',
  'operate',
  'bulk',
  'domain',
  'http',
  'nest',
  'postgres',
  'saga',
  'transports',
]
const BELOW_SYSTEM = [...FOUNDATIONS, 'simulators'].map(name)
const BELOW_APPS = [...BELOW_SYSTEM, '@posthorn/system']
const BELOW_SYSTEMS = [...BELOW_APPS, '@posthorn/gateway']

/**
 * Which of our workspaces a workspace may import. What is not listed here may import none; a system
 * imports packages only, never another system.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  '@posthorn/bulk': ['@posthorn/engine'],
  '@posthorn/operate': ['@posthorn/engine'],
  '@posthorn/transports': ['@posthorn/engine', '@posthorn/operate'],
  '@posthorn/saga': ['@posthorn/engine', '@posthorn/operate'],
  '@posthorn/domain': ['@posthorn/engine', '@posthorn/operate'],
  '@posthorn/http': ['@posthorn/engine'],
  '@posthorn/nest': ['@posthorn/engine'],
  '@posthorn/simulators': ['@posthorn/engine', '@posthorn/operate', '@posthorn/http'],
  '@posthorn/system': BELOW_SYSTEM,
  '@posthorn/gateway': BELOW_APPS,
  '@posthorn/incidents': BELOW_APPS,
  '@posthorn/fuzz': BELOW_SYSTEM,
  '@posthorn/server': BELOW_APPS,
  // `posthorn start` is the server, and every command reads the same configuration.
  '@posthorn/cli': [...BELOW_APPS, '@posthorn/server', 'create-posthorn'],
  // What makes a service is installed alone, so that it is there in a second.
  'create-posthorn': [],
  '@posthorn/bench': BELOW_APPS,
  // The dashboard knows the HTTP API only: it imports nothing of ours.
  '@posthorn/dashboard': [],
}

/**
 * A test may start a database and use the engine's test kit, wherever it stands. Incidents are
 * installed like a system, so a server that is tested with them imports them.
 */
const TESTS_MAY_IMPORT = ['engine', 'operate', 'postgres', 'fuzz', 'incidents'].map(name)

/** Pages of a system, which the dashboard's build bundles. */
const PAGES = /^systems\/[^/]+\/web\//

/** Doors between our own packages, which change without notice: systems and examples, written as users write, may not use them. */
const INNER_DOOR = /^@posthorn\/\w+\/internal$/
const WRITTEN_BY_USERS = /^(examples|systems)\//

/** Tests of the dashboard and of a system may run a server. */
const SERVER_TESTS_MAY_IMPORT = [
  ...TESTS_MAY_IMPORT,
  ...['http', 'simulators', 'system', 'incidents', 'server'].map(name),
]

/** What the rules are held against. */
export interface Repository {
  readonly workspaces: readonly Workspace[]
  /** Packages that tests may use without declaring them in their own workspace. */
  readonly shared: readonly string[]
}

/** Every specifier that a source imports, also by `import()` and `export … from`. */
export function importsOf(text: string): string[] {
  return readSource(text)
    .literals.filter(({ before, quote }) => {
      return quote !== '`' && /(?<![.\w])(?:from|import\s*\(?)\s*$/.test(before)
    })
    .map((literal) => literal.text)
}

/** The imports of a file that go where they must not, each as a sentence. */
export function wrongImports(file: SourceFile, repository: Repository): string[] {
  return importsOf(file.text)
    .map((specifier) => problemOf(specifier, file.path, repository))
    .filter((problem) => problem !== undefined)
    .map((problem) => `${file.path}: ${problem}`)
}

function problemOf(specifier: string, path: string, repository: Repository): string | undefined {
  if (specifier.startsWith('.')) return relativeProblem(specifier, path, repository)
  const imported = packageOf(specifier)
  if (/^(node|virtual):/.test(specifier) || builtinModules.includes(imported)) return undefined
  const here = workspaceOf(path, repository)
  if (INNER_DOOR.test(specifier) && WRITTEN_BY_USERS.test(path)) {
    return `${specifier} is for Posthorn's own packages`
  }
  // The repository's own tests and scripts belong to no workspace and see everything.
  const isOutside = here === undefined
  const target = repository.workspaces.find((workspace) => workspace.name === imported)
  if (target !== undefined && !target.entryPoints.includes(specifier)) {
    return `${specifier} is no entry point of ${imported}`
  }
  if (isOutside || imported === here.name) return undefined
  if (target !== undefined && !mayImport(here, target, path)) {
    return `${here.name} must not import ${imported}`
  }
  const isDeclared = findDeclared(path, here, repository).includes(imported)
  return isDeclared ? undefined : `${imported} is not declared in ${here.folder}/package.json`
}

function relativeProblem(
  specifier: string,
  path: string,
  repository: Repository,
): string | undefined {
  const target = posix.join(posix.dirname(path), specifier)
  // The text of a page is data, wherever it is shown.
  if (target.startsWith('docs/') && specifier.endsWith('.md?raw')) return undefined
  const here = workspaceOf(path, repository)
  const there = workspaceOf(target, repository)
  // A system's benchmarks use the bench's kit.
  if (there?.folder === 'bench' && isMeasured(path)) return undefined
  if (there !== here) {
    // The outboxes that the tests of the engine and of its operators' functions share.
    const isShared = isTest(path) && target.startsWith('packages/engine/src/testing/')
    if (isShared && here?.name === '@posthorn/operate') return undefined
    if (there !== undefined) return `${specifier} goes into ${there.name} past its entry point`
    return isForTests(path) || path.startsWith('bench/')
      ? undefined
      : `${specifier} leaves the workspace`
  }
  return undefined
}

function mayImport(here: Workspace, target: Workspace, path: string): boolean {
  if (isForTests(path) && importsOfTests(path).includes(target.name)) return true
  if (PAGES.test(path)) return target.name === '@posthorn/dashboard'
  const allowed = here.folder.startsWith('systems/') ? BELOW_SYSTEMS : MAY_IMPORT[here.name]
  return allowed?.includes(target.name) ?? false
}

function findDeclared(path: string, here: Workspace, { shared }: Repository): readonly string[] {
  if (!isForDevelopment(path)) return here.dependencies
  return [...here.dependencies, ...here.devDependencies, ...shared, ...importsOfTests(path)]
}

function importsOfTests(path: string): readonly string[] {
  const mayRunServer = /^(apps\/dashboard\/test|packages\/incidents|systems)\//.test(path)
  return mayRunServer ? SERVER_TESTS_MAY_IMPORT : TESTS_MAY_IMPORT
}

function isForTests(path: string): boolean {
  return (
    isTest(path) ||
    isMeasured(path) ||
    path.includes('/testing/') ||
    path.startsWith('apps/dashboard/test/')
  )
}

/** The part of a system that proofs and benchmarks run. */
export function isMeasured(path: string): boolean {
  return /^systems\/[\w-]+\/(proof|bench)\//.test(path)
}

/** What only tests and builds run may use development's packages. */
function isForDevelopment(path: string): boolean {
  return isForTests(path) || PAGES.test(path) || /\.config\.ts$|\/build\.mjs$/.test(path)
}

function workspaceOf(path: string, { workspaces }: Repository): Workspace | undefined {
  return workspaces.find(({ folder }) => path.startsWith(`${folder}/`))
}

function packageOf(specifier: string): string {
  const parts = specifier.split('/')
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/')
}
