import { builtinModules } from 'node:module'
import { posix } from 'node:path'
import { isTest, type SourceFile } from './source-files.ts'
import { readSource } from './source-text.ts'
import type { Workspace } from './workspaces.ts'

const PACKAGES = [
  'engine',
  'postgres',
  'bulk',
  'transports',
  'saga',
  'domain',
  'http',
  'simulators',
  'nest',
]
const BELOW_SYSTEMS = PACKAGES.map((name) => `@posthorn/${name}`)
const BELOW_APPS = [...BELOW_SYSTEMS, '@posthorn/systems']

/** Which of our workspaces a workspace may import. What is not listed here may import none. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  '@posthorn/bulk': ['@posthorn/engine'],
  '@posthorn/transports': ['@posthorn/engine'],
  '@posthorn/saga': ['@posthorn/engine'],
  '@posthorn/domain': ['@posthorn/engine'],
  '@posthorn/http': ['@posthorn/engine'],
  '@posthorn/nest': ['@posthorn/engine'],
  '@posthorn/simulators': ['@posthorn/engine', '@posthorn/http'],
  '@posthorn/systems': BELOW_SYSTEMS,
  '@posthorn/server': BELOW_APPS,
  // `posthorn start` is the server, and every command reads the same configuration.
  '@posthorn/cli': [...BELOW_APPS, '@posthorn/server', 'create-posthorn'],
  // What makes a service is installed alone, so that it is there in a second.
  'create-posthorn': [],
  '@posthorn/bench': BELOW_APPS,
  // The dashboard knows the HTTP API only: it imports nothing of ours.
  '@posthorn/dashboard': [],
}

/** A test may start a database and use the engine's test kit, wherever it stands. */
const TESTS_MAY_IMPORT = ['@posthorn/engine', '@posthorn/postgres']

/** The dashboard is looked at through its server, which runs beside the test. */
const PAGE_TESTS_MAY_IMPORT = [...TESTS_MAY_IMPORT, '@posthorn/server']

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
  const name = packageOf(specifier)
  if (specifier.startsWith('node:') || builtinModules.includes(name)) return undefined
  const here = workspaceOf(path, repository)
  // The repository's own tests and scripts belong to no workspace and see everything.
  const isOutside = here === undefined
  const target = repository.workspaces.find((workspace) => workspace.name === name)
  if (target !== undefined && !target.entryPoints.includes(specifier)) {
    return `${specifier} is no entry point of ${name}`
  }
  if (isOutside || name === here.name) return undefined
  if (target !== undefined && !mayImport(here, target, path)) {
    return `${here.name} must not import ${name}`
  }
  const isDeclared = findDeclared(path, here, repository).includes(name)
  return isDeclared ? undefined : `${name} is not declared in ${here.folder}/package.json`
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
  if (there !== here) {
    if (there !== undefined) return `${specifier} goes into ${there.name} past its entry point`
    return isForTests(path) || path.startsWith('bench/')
      ? undefined
      : `${specifier} leaves the workspace`
  }
  const [mine, other] = [systemOf(path), systemOf(target)]
  if (mine === undefined || other === undefined || mine === other) return undefined
  // What the tests of several systems share.
  if (other === 'testing' && isForTests(path)) return undefined
  // What several systems charge through, by its door.
  if (target === 'systems/gateway/index.ts') return undefined
  return `system ${mine} must not import system ${other}`
}

function mayImport(here: Workspace, target: Workspace, path: string): boolean {
  if (isForTests(path) && importsOfTests(path).includes(target.name)) return true
  return MAY_IMPORT[here.name]?.includes(target.name) ?? false
}

function findDeclared(path: string, here: Workspace, { shared }: Repository): readonly string[] {
  if (!isForDevelopment(path)) return here.dependencies
  return [...here.dependencies, ...here.devDependencies, ...shared, ...importsOfTests(path)]
}

function importsOfTests(path: string): readonly string[] {
  return path.startsWith('apps/dashboard/test/') ? PAGE_TESTS_MAY_IMPORT : TESTS_MAY_IMPORT
}

function isForTests(path: string): boolean {
  return isTest(path) || path.includes('/testing/') || path.startsWith('apps/dashboard/test/')
}

/** What only tests and builds run may use development's packages. */
function isForDevelopment(path: string): boolean {
  return isForTests(path) || path.endsWith('.config.ts')
}

function workspaceOf(path: string, { workspaces }: Repository): Workspace | undefined {
  return workspaces.find(({ folder }) => path.startsWith(`${folder}/`))
}

/** The system a file belongs to; none for what the five share. */
function systemOf(path: string): string | undefined {
  const [system, ...rest] = path.replace(/^systems\/(src\/)?/, '').split('/')
  if (!path.startsWith('systems/') || rest.length === 0 || system === undefined) return undefined
  return system
}

function packageOf(specifier: string): string {
  const parts = specifier.split('/')
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/')
}
