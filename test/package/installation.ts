import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { chmod, cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../docs/markdown.ts'
import { runScript, type Run } from '../docs/program.ts'

/** The example, outside the repository, with our packages as a user would install them. */
export interface Installation {
  readonly folder: string
  /** The files that npm installs, one for each package. */
  readonly tarballs: readonly string[]
  readonly packages: readonly InstalledPackage[]
  remove(): Promise<void>
}

export interface InstalledPackage {
  readonly manifest: Manifest
  /** Paths from the package's folder, in order. */
  readonly files: readonly string[]
  text(file: string): string
}

export interface Manifest {
  readonly name: string
  readonly version: string
  /** None of a program, and of pages. */
  readonly exports?: Readonly<Record<string, string | { types: string; default: string }>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

export function pack(...args: string[]): Promise<Run> {
  return runScript(join(root, 'scripts/pack.mjs'), args, { limitMs: 600_000 })
}

/** Packs everything, copies the example and installs. Takes a while: do it once. */
export async function install(): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-package-'))
  // PostgreSQL, which does not run as root, has to get to its programs and its data.
  await chmod(folder, 0o755)
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    const { status, stderr } = await pack('--to', join(folder, 'tarballs'))
    if (status !== 0) throw new Error(`scripts/pack.mjs failed: ${stderr}`)
    const tarballs = (await readdir(join(folder, 'tarballs'))).toSorted()
    await cp(join(root, 'examples/own-outbox'), folder, { recursive: true, filter: isSource })
    await askFor(folder, tarballs)
    await npmInstall(folder)
    return {
      folder,
      tarballs,
      packages: tarballs.map((file) => readInstalled(folder, file)),
      remove,
    }
  } catch (error) {
    await remove()
    throw error
  }
}

/** Leftovers of a run of the example in the repository stay there. */
function isSource(path: string): boolean {
  return !/[\\/](node_modules|\.posthorn|package-lock\.json)$/.test(path)
}

/** Has the example depend on the packed files, and on the packages that some of them use if there. */
async function askFor(folder: string, tarballs: readonly string[]): Promise<void> {
  const file = join(folder, 'package.json')
  const manifest = JSON.parse(await readFile(file, 'utf8'))
  // The types that our declarations mention have to come with our packages.
  delete manifest.devDependencies['@types/pg']
  for (const tarball of tarballs) {
    manifest.dependencies[nameOf(tarball)] = `file:tarballs/${tarball}`
  }
  for (const path of globSync('packages/*/package.json', { cwd: root })) {
    const { peerDependencies } = JSON.parse(readFileSync(join(root, path), 'utf8'))
    Object.assign(manifest.dependencies, peerDependencies)
  }
  await writeFile(file, JSON.stringify(manifest))
}

/** By the npm of the environment, from its cache as far as that goes. */
export async function npmInstall(folder: string): Promise<void> {
  const args = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--include=dev']
  const limits = { timeout: 600_000, killSignal: 'SIGKILL' } as const
  const shell = process.platform === 'win32'
  await promisify(execFile)('npm', args, { cwd: folder, shell, ...limits })
}

function readInstalled(folder: string, tarball: string): InstalledPackage {
  const own = join(folder, 'node_modules', nameOf(tarball))
  const text = (file: string) => readFileSync(join(own, file), 'utf8')
  return {
    manifest: JSON.parse(text('package.json')),
    files: globSync('**/*.*', { cwd: own }).toSorted(),
    text,
  }
}

/** `posthorn-engine-0.1.0.tgz` is `@posthorn/engine`, `create-posthorn-0.1.0.tgz` has no scope. */
function nameOf(tarball: string): string {
  return tarball.replace(/-\d.*$/, '').replace(/^posthorn-/, '@posthorn/')
}
