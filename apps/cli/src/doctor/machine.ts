import { access, constants, stat, statfs } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Configuration } from '@posthorn/server'
import { hasDatabase } from '../environment.ts'
import type { Finding } from './finding.ts'
import { fail, ok, warn } from './finding.ts'

const MIB = 1024 ** 2
const LOW_SPACE = 1024 * MIB
const NO_SPACE = 100 * MIB

export function checkNode(version: string): Finding {
  const major = Number(version.split('.')[0])
  if (major % 2 === 0) return ok('node', version)
  return warn('node', `${version} is no long-term release`, 'use an even version in production')
}

/** What is suspicious about an environment that has no mistakes. */
export function checkConfiguration(configuration: Configuration): Finding[] {
  const { production, unknown: names, roles } = configuration
  const mode = production ? 'production' : 'development'
  const found = ok('configuration', `${mode}, roles ${[...roles].join(', ')}`)
  if (names.length === 0) return [found]
  const todo = 'see docs/reference for the names there are'
  return [found, warn('configuration', `no settings of ours: ${names.join(', ')}`, todo)]
}

/** The folder of the embedded database and of development's secret. */
export async function checkFolder(configuration: Configuration): Promise<Finding[]> {
  const { dataFolder, databaseUrl } = configuration
  const folder = resolve(dataFolder)
  const existing = await nearestExisting(folder)
  const findings: Finding[] = []
  if (!(await mayWrite(existing))) {
    const todo = `give this user the right to write to ${existing}`
    findings.push(fail('data folder', `${folder} cannot be written`, todo))
  } else if (databaseUrl === undefined && !(await hasDatabase(configuration))) {
    const todo = 'run `posthorn start` or `posthorn migrate`, or set DATABASE_URL'
    findings.push(warn('data folder', `${folder} has no database yet`, todo))
  } else findings.push(ok('data folder', folder))
  findings.push(await checkSpace(existing), ...(await checkSecrets(folder)))
  return findings
}

async function checkSpace(folder: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  const says = `${Math.round(free / MIB).toLocaleString('en')} MiB free`
  const todo = `make room on the disk of ${folder}`
  if (free < NO_SPACE) return fail('disk', says, todo)
  return free < LOW_SPACE ? warn('disk', says, todo) : ok('disk', says)
}

/** Whoever can read them can sign tokens for everybody, and open what is sealed. */
async function checkSecrets(folder: string): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const name of ['jwt-secret', 'encryption-key']) {
    const file = join(folder, name)
    const mode = await stat(file).then(
      (found) => found.mode,
      () => 0,
    )
    // Windows has rights of another kind, and shows these bits to everybody.
    if ((mode & 0o077) === 0 || process.platform === 'win32') continue
    findings.push(fail('secret', `${file} is readable for others`, `chmod 600 ${file}`))
  }
  return findings
}

async function mayWrite(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )
}

async function nearestExisting(folder: string): Promise<string> {
  const isThere = await stat(folder).then(
    () => true,
    () => false,
  )
  return isThere || dirname(folder) === folder ? folder : nearestExisting(dirname(folder))
}
