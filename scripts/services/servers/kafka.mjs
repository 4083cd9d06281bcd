import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fetchedJars, java } from '../archives.mjs'
import { certificatesIn, makeCertificates } from '../certificates.mjs'
import { run } from '../process.mjs'
import { readConfig } from '../lifecycle.mjs'

export const KAFKA_VERSION = '4.3.1'
/**
 * Kafka's jars name no binding for slf4j (its own distribution adds this one); without it nothing is
 * logged at all. The same version as the log4j-core that Kafka brings along.
 */
export const SLF4J = 'org.apache.logging.log4j:log4j-slf4j-impl:2.25.4'

/** Who may log in at the listener SECURE, by password or by SCRAM. */
const USER = { name: 'posthorn', password: 'posthorn-secret' }

/**
 * One node that is broker and controller at once (KRaft), run from Kafka's jars. It listens in clear,
 * by TLS with a login (SECURE), and by TLS with certificates of both sides (MUTUAL).
 */
export const kafka = {
  name: 'kafka',
  variable: 'KAFKA_BROKERS',
  usualPort: 9092,
  needs: 'Java 17 or newer to run, Maven to fetch Kafka, and openssl for its certificates',
  ports: ['broker', 'controller', 'secure', 'mutual'],
  readyWithinMs: 300_000,

  async install(log) {
    const jars = [`org.apache.kafka:kafka_2.13:${KAFKA_VERSION}`, SLF4J]
    const files = { 'log4j2.properties': LOGGING }
    const home = await fetchedJars(`kafka-${KAFKA_VERSION}`, jars, { log, files })
    return { version: KAFKA_VERSION, home }
  },

  async launch({ home, folder, ports, start }) {
    const data = join(folder, `data-${KAFKA_VERSION}-secured`)
    const certificates = await makeCertificates(folder)
    if (!existsSync(data)) await format({ home, folder, data, ports, certificates })
    const config = join(folder, 'server.properties')
    await writeFile(config, properties(data, ports, certificates))
    // The heap keeps a whole test run small; Kafka's data sits in the page cache anyway.
    const options = ['-Xmx512m', '-Xms128m', '-XX:+ExitOnOutOfMemoryError']
    await start(java(), [...options, ...classPath(home), 'kafka.Kafka', config])
  },

  probe: (ports) => probeKafka(ports.broker),

  env(ports, folder) {
    return {
      KAFKA_BROKERS: `127.0.0.1:${ports.broker}`,
      KAFKA_SECURE_BROKERS: `127.0.0.1:${ports.secure}`,
      KAFKA_MUTUAL_BROKERS: `127.0.0.1:${ports.mutual}`,
      KAFKA_CERTIFICATES: certificatesIn(folder),
    }
  },
}

/** What a cluster of them is started with. */
export async function ensureKafka({ log = console.error } = {}) {
  const { home, version } = await kafka.install(log)
  return { version, java: java(), classPath: classPath(home) }
}

/** Writes the cluster's id into a new data folder, which gets its name only when that is done. */
async function format({ home, folder, data, ports, certificates }) {
  await mkdir(folder, { recursive: true })
  const draft = await mkdtemp(`${data}.draft-`)
  try {
    const config = join(draft, 'format.properties')
    await writeFile(config, properties(draft, ports, certificates))
    // Kafka takes an id that begins with a dash for an option.
    const clusterId = randomBytes(16).toString('base64url').replace(/^-/, 'a')
    const scram = ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) => [
      '--add-scram',
      `${mechanism}=[name=${USER.name},password=${USER.password}]`,
    ])
    const options = ['--cluster-id', clusterId, '--config', config, ...scram]
    await run(java(), [...classPath(home), 'kafka.tools.StorageTool', 'format', ...options])
    await rename(draft, data)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

function classPath(home) {
  return [
    `-Dlog4j2.configurationFile=${join(home, 'log4j2.properties')}`,
    '-cp',
    join(home, 'lib', '*'),
  ]
}

function properties(data, ports, certificates) {
  const user = { user: USER.name, password: USER.password }
  return readConfig('kafka.properties', { ...user, ...ports, data, certificates })
}

export const LOGGING = readConfig('log4j2.properties')

/**
 * Rejects unless the broker names itself in its metadata. That is later than accepting
 * connections: a broker that has not registered with its controller yet lists no brokers.
 */
async function probeKafka(port) {
  const { Admin } = await import('@platformatic/kafka')
  const bootstrapBrokers = [`127.0.0.1:${port}`]
  const admin = new Admin({ clientId: 'posthorn', bootstrapBrokers, retries: false, timeout: 2000 })
  try {
    const { brokers } = await admin.metadata({ topics: [] })
    if (brokers.size === 0) throw new Error('Kafka answers, but lists no broker')
  } finally {
    await admin.close()
  }
}
