import { access, constants, stat, statfs } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import process from 'node:process'
import type { Configuration } from '@posthorn/server'
import { hasDatabase, type Systems } from '../environment.ts'
import { number } from '../terminal/words.ts'
import { fail, ok, warn, type Finding } from './finding.ts'

/** Every connection of a client, an endpoint, a broker or the database takes one. */
const FEW_FILES = 1024

export function checkNode(version: string): Finding {
  const major = Number(version.split('.')[0])
  if (major % 2 === 0) return ok('node', version)
  return warn('node', `${version} is no long-term release`, 'use an even version in production')
}

/** How many files and connections this process may have open; Windows has no such limit. */
export function checkOpenFiles(limit: number | undefined = openFilesLimit()): Finding[] {
  if (limit === undefined) return []
  const says = `${number(limit)} at once`
  if (limit >= FEW_FILES) return [ok('open files', says)]
  const run = `ulimit -n 65536`
  return [warn('open files', says, { todo: 'raise the limit of the process', run })]
}

function openFilesLimit(): number | undefined {
  // Else it would ask the name server about every connection.
  Object.assign(process.report, { excludeNetwork: true })
  const found = process.report.getReport() as {
    readonly userLimits?: { readonly open_files?: { readonly soft: number | 'unlimited' } }
  }
  const soft = found.userLimits?.open_files?.soft
  return soft === 'unlimited' ? Number.MAX_SAFE_INTEGER : soft
}

const MIB = 1024 ** 2
const LOW_SPACE = 1024 * MIB
const NO_SPACE = 100 * MIB

/** The folder of the embedded database, of files and of development's secrets. */
export async function checkDataFolder(configuration: Configuration): Promise<Finding[]> {
  const { dataFolder, databaseUrl } = configuration
  const folder = resolve(dataFolder)
  const existing = await nearestExisting(folder)
  const findings: Finding[] = []
  if (!(await mayWrite(existing))) {
    const todo = `give this user the right to write to ${existing}`
    findings.push(fail('data folder', `${folder} cannot be written`, todo))
  } else if (databaseUrl === undefined && !(await hasDatabase(configuration))) {
    const todo = 'create one, or set DATABASE_URL'
    const says = `${folder} has no database yet`
    findings.push(warn('data folder', says, { todo, run: 'posthorn migrate' }))
  } else findings.push(ok('data folder', folder))
  findings.push(await checkSpace(existing), ...(await checkSecretFiles(folder)))
  return findings
}

/** Folders that systems keep files in: settings of theirs whose name says so. */
export async function checkOwnFolders(
  { settings }: Pick<Configuration, 'settings'>,
  systems: Systems,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const { name, settings: schema } of systems) {
    const values = (settings[name] ?? {}) as Readonly<Record<string, unknown>>
    for (const variable of Object.keys(schema.properties)) {
      const path = values[variable]
      if (!variable.endsWith('_FOLDER') || typeof path !== 'string') continue
      findings.push(...(await checkOwnFolder(variable, resolve(path))))
    }
  }
  return findings
}

async function checkOwnFolder(variable: string, folder: string): Promise<Finding[]> {
  const existing = await nearestExisting(folder)
  if (await mayWrite(existing)) return [ok('storage', folder), await checkSpace(existing)]
  const advice = {
    todo: `let this user write to ${existing}, or set ${variable}`,
    run: `ls -ld ${existing}`,
  }
  return [fail('storage', `${folder} cannot be written`, advice)]
}

async function checkSpace(folder: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  const says = `${number(free / MIB)} MiB free`
  const advice = { todo: `free space on the disk of ${folder}`, run: `df -h ${folder}` }
  if (free < NO_SPACE) return fail('disk', says, advice)
  return free < LOW_SPACE ? warn('disk', says, advice) : ok('disk', says)
}

/** A user who can read them can sign tokens for everyone, and open what is sealed. */
async function checkSecretFiles(folder: string): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const name of ['jwt-secret', 'encryption-key']) {
    const file = join(folder, name)
    const mode = await stat(file).then(
      (found) => found.mode,
      () => 0,
    )
    // Windows has rights of another kind, and shows these bits to everybody.
    if ((mode & 0o077) === 0 || process.platform === 'win32') continue
    const advice = { todo: 'let only its owner read it', run: `chmod 600 ${file}` }
    findings.push(fail('secrets', `others can read ${file}`, advice))
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
