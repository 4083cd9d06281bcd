import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connect } from './servers/connect.mjs'
import { elasticmq } from './servers/elasticmq.mjs'
import { kafka } from './servers/kafka.mjs'
import { crash, inspect, recordedEnv, start, stop } from './lifecycle.mjs'
import { nats } from './servers/nats.mjs'
import { pgbouncer } from './servers/pgbouncer.mjs'
import { isAnyOpen } from './ports.mjs'
import { rabbitmq } from './servers/rabbitmq.mjs'
import { redis } from './servers/redis.mjs'
import { schemaRegistry } from './servers/schema-registry.mjs'
import { versitygw } from './servers/versitygw.mjs'

export { ensureChromium } from './servers/chromium.mjs'
export { ensureKafka } from './servers/kafka.mjs'
export { ensurePatroni } from './servers/patroni.mjs'
export { readConfig } from './lifecycle.mjs'
export { freePorts } from './ports.mjs'
export { postgresPrograms } from './servers/postgres.mjs'
export { ensureRabbitmq } from './servers/rabbitmq.mjs'
export {
  ensureCompose,
  ensureHelm,
  ensureKubernetesSchemas,
  ensurePsql,
  ensureRuntimes,
  ensureSchemathesis,
  ensureServiceMonitors,
} from './programs.mjs'

const services = [kafka, rabbitmq, nats, redis, elasticmq, schemaRegistry, versitygw]

/** The names that the functions below take. */
export const serviceNames = services.map((service) => service.name)

/** The name of the service that sets a variable for its users. */
export function serviceWith(variable) {
  return services.find((service) => Object.hasOwn(service.env({}, ''), variable))?.name
}

// Where pids, ports, data and logs are kept.
const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
const defaultDir = join(root, '.services')

/**
 * Starts the named services (all by default) side by side, fetching them if needed. One whose
 * variable is set is left alone and only checked, unless the caller has a `dir`, and so servers of its
 * own. One that cannot be had is in `failures` with
 * the reason, and its variables are missing from `env`; the others are not held up by it.
 * `stop()` ends those that this call started.
 */
export async function startServices({ names, log = console.error, dir = defaultDir } = {}) {
  const wanted = findServices(names)
  const found = await Promise.allSettled(wanted.map((service) => have(service, { log, dir })))
  const result = { env: {}, versions: {}, failures: {} }
  const started = []
  for (const [at, { name }] of wanted.entries()) {
    const { value, reason } = found[at]
    if (reason !== undefined) {
      result.failures[name] = reason.message
      continue
    }
    Object.assign(result.env, value.env)
    result.versions[name] = value.version
    if (!value.wasRunning) started.push(name)
  }
  return { ...result, stop: () => stopServices({ names: started, dir }) }
}

function have(service, { log, dir }) {
  return isGiven(service, dir) ? reach(service) : start(service, join(dir, service.name), log)
}

/** Ends the named services (all by default) if they were started from `dir`. Data is kept. */
export async function stopServices({ names, dir = defaultDir } = {}) {
  await Promise.all(findServices(names).map(({ name }) => stop(join(dir, name))))
}

/** Stops the service if it runs and starts it again, at the same address and with its data. */
export async function restartService(name, { log = console.error, dir = defaultDir } = {}) {
  const service = ownService(name, dir)
  await stop(join(dir, name))
  const { env, version } = await start(service, join(dir, name), log)
  return { env, version }
}

/** Ends the service with SIGKILL, as a crash would; `restartService` brings it back. */
export async function killService(name, { dir = defaultDir } = {}) {
  ownService(name, dir)
  await crash(join(dir, name))
}

/** What can be used now: name → `{ version, env, pid }`, or undefined. Changes nothing. */
export async function inspectServices({ names, dir = defaultDir } = {}) {
  const found = findServices(names).map(async (service) => {
    const there = isGiven(service, dir)
      ? await reach(service).catch(() => undefined)
      : await inspect(service, join(dir, service.name))
    return [service.name, there]
  })
  return Object.fromEntries(await Promise.all(found))
}

/** Starts one that belongs to its caller, fetching it if needed: `dir` is a folder of its own. */
async function startOwn(service, { dir, log = console.error }) {
  const folder = join(dir, service.name)
  const { env, version } = await start(service, folder, log)
  const [url] = Object.values(env)
  return { url, version, folder, stop: () => stop(folder), kill: () => crash(folder) }
}

/** A PgBouncer in transaction mode in front of a PostgreSQL. */
export function startPgbouncer(databaseUrl, options) {
  return startOwn(pgbouncer(databaseUrl), options)
}

export function startRedis(options) {
  return startOwn(redis, options)
}

/** A worker of Kafka Connect with Debezium's connector for PostgreSQL beside a Kafka. */
export function startConnect(brokers, options) {
  return startOwn(connect(brokers), options)
}

function findServices(names = serviceNames) {
  return names.map((name) => {
    const service = services.find((candidate) => candidate.name === name)
    if (service !== undefined) return service
    throw new Error(`There is no service "${name}": the names are ${serviceNames.join(', ')}.`)
  })
}

/**
 * Whether the environment names a service that is not the one in `dir`. A process that was
 * given our own address (a test, a shell after `env`) may still stop and start what is behind it.
 */
function isGiven(service, dir) {
  const value = process.env[service.variable]
  if (!value || dir !== defaultDir) return false
  return value !== recordedEnv(service, join(dir, service.name))[service.variable]
}

/** The service that the environment names, once it is known to be there. */
async function reach(service) {
  const value = process.env[service.variable]
  // A connection is all that can be checked: it may want certificates or a login.
  if (!(await isAnyOpen(addressesIn(value, service)))) {
    throw new Error(
      `${service.name}: no answer at ${service.variable}=${value}.\n` +
        `Start it, or unset ${service.variable} to have one started here.`,
    )
  }
  const names = Object.keys(service.env({}, '')).filter((name) => process.env[name] !== undefined)
  return {
    version: `given by ${service.variable}`,
    env: Object.fromEntries(names.map((name) => [name, process.env[name]])),
    wasRunning: true,
  }
}

/** Of protocols whose port is not the usual one of their service. */
const PORTS = { 'amqps:': 5671, 'https:': 443 }

/** Where the servers are that the value of a variable names: one URL, or several hosts. */
function addressesIn(value, { usualPort }) {
  return value.split(',').map((each) => {
    const text = each.trim()
    const url = new URL(text.includes('://') ? text : `tcp://${text}`)
    const port = Number(url.port) || PORTS[url.protocol] || usualPort
    return { host: url.hostname, port }
  })
}

function ownService(name, dir) {
  const [service] = findServices([name])
  if (!isGiven(service, dir)) return service
  throw new Error(`${name} is given by ${service.variable} and not ours to stop.`)
}
