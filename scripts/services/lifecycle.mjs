import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isOurs, kill, lastLines, startDetached, terminate, waitUntil } from './process.mjs'
import { withLock } from '../setup-lock.mjs'
import { freePorts, isFree } from './ports.mjs'

// A service is an object: its name, the variable that replaces it if one can, what it needs, its ports, and
//   install(log)  -> { version, home }      from the cache, or fetched into it
//   launch({ home, version, folder, ports, start })   the server's process last
//   probe(ports)  rejects unless it can be used; loads its client then, which most importers never need
//   env(ports, folder)    -> what its users set
//   usualPort     where the variable names none

/** Starts the service in `folder`, or finds it there: `{ version, env, wasRunning }`. */
export function start(service, folder, log) {
  return withLock(`${folder}.lock`, () => startUnlocked(service, folder, log))
}

async function startUnlocked(service, folder, log) {
  const before = readState(folder)
  if (before !== undefined && (await isReady(service, folder, before))) {
    return { version: before.version, env: service.env(before.ports, folder), wasRunning: true }
  }
  // Dead or deaf: no use in asking it to end.
  await endAll(folder, before, kill)

  const { version, home } = await install(service, log)
  // The same ports as before if possible, so that clients find a restarted service again.
  const ports = (await canHave(service, before?.ports))
    ? before.ports
    : await freePorts(service.ports)
  const logFile = join(folder, 'log')
  const state = { version, ports, pids: [] }
  writeState(folder, state)
  try {
    await service.launch({
      home,
      version,
      folder,
      ports,
      async start(command, args, { env, name } = {}) {
        const pid = await startDetached(command, args, { name, cwd: folder, env, logFile })
        state.pids.push(pid)
        writeState(folder, state)
      },
    })
    if (!(await isReady(service, folder, state))) throw new Error('it did not become ready')
  } catch (error) {
    await endAll(folder, state, kill)
    throw new Error(advice(service, error, lastLogLines(logFile)), { cause: error })
  }
  return { version, env: service.env(ports, folder), wasRunning: false }
}

async function install(service, log) {
  try {
    return await service.install(log)
  } catch (error) {
    throw new Error(advice(service, error), { cause: error })
  }
}

/** Waits for it as long as its process lives: a start whose starter was killed may be under way. */
async function isReady(service, folder, state) {
  let ready = false
  await waitUntil(
    async () => {
      if (!isAlive(folder, state)) return true
      ready = await answers(service, state)
      return ready
    },
    { withinMs: service.readyWithinMs },
  )
  return ready
}

function isAlive(folder, { pids }) {
  return pids.length > 0 && isOurs(pids.at(-1), folder)
}

async function answers(service, { ports }) {
  try {
    await service.probe(ports)
    return true
  } catch {
    return false
  }
}

async function canHave(service, ports) {
  if (service.ports.some((name) => ports?.[name] === undefined)) return false
  const areFree = async () => (await Promise.all(Object.values(ports).map(isFree))).every(Boolean)
  // A server that was just killed may not have released them yet.
  return waitUntil(areFree, { withinMs: 2000 })
}

/** Ends it in good order, its data kept. */
export function stop(folder) {
  return withLock(`${folder}.lock`, () => endAll(folder, readState(folder), terminate))
}

/** Ends it as a crash would. */
export function crash(folder) {
  return withLock(`${folder}.lock`, () => endAll(folder, readState(folder), kill))
}

/** The server before what it leans on, so that it can say goodbye to it. */
async function endAll(folder, state, end) {
  for (const pid of [...(state?.pids ?? [])].reverse()) await end(pid, folder)
  if (state !== undefined) writeState(folder, { ...state, pids: [] })
}

/** What is there now, without changing it: `{ version, env, pid }`, or undefined if not running. */
export async function inspect(service, folder) {
  const state = readState(folder)
  if (state === undefined || !isAlive(folder, state)) return undefined
  if (!(await answers(service, state))) return undefined
  return { version: state.version, env: service.env(state.ports, folder), pid: state.pids.at(-1) }
}

/** The variables of the service that was last started in `folder`, running or not. */
export function recordedEnv(service, folder) {
  const state = readState(folder)
  return state === undefined ? {} : service.env(state.ports, folder)
}

function advice(service, error, logLines) {
  return [
    `${service.name}: ${error.message}`,
    logLines,
    `${service.name} needs ${service.needs}.`,
    service.variable && `Or start it another way (compose.yaml) and set ${service.variable}.`,
  ]
    .filter(Boolean)
    .join('\n')
}

function lastLogLines(logFile) {
  try {
    return `--- the last lines of ${logFile}\n${lastLines(readFileSync(logFile, 'utf8'), 30)}\n---`
  } catch {
    return undefined
  }
}

/** What is known of a service in `folder`: version, ports, and the pids that were started. */
function readState(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, 'state.json'), 'utf8'))
  } catch {
    return undefined
  }
}

/**
 * Synchronous, and by rename: written right after a process is started, so that a starter killed
 * next still leaves a record of it, and never half a record.
 */
function writeState(folder, state) {
  mkdirSync(folder, { recursive: true })
  const draft = join(folder, `state.json.${process.pid}`)
  writeFileSync(draft, `${JSON.stringify(state, null, 2)}\n`)
  renameSync(draft, join(folder, 'state.json'))
}

const CONFIG = new URL('servers/config/', import.meta.url)

/** A file of `servers/config`, or of a URL, with these values in the place of its `{{name}}`. */
export function readConfig(file, values = {}) {
  const text = readFileSync(new URL(file, CONFIG), 'utf8')
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => {
    if (values[name] === undefined) throw new Error(`${file} has no value for ${name}.`)
    return values[name]
  })
}
