import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fillCache } from './cache.mjs'
import { KAFKA_VERSION, LOGGING, SLF4J } from './servers/kafka.mjs'
import { fetchJars, java } from './maven.mjs'

const DEBEZIUM_VERSION = '3.6.1.Final'
const HOST = '127.0.0.1'

/** Kafka Connect, one worker by itself, with Debezium's connector for PostgreSQL; from their jars. */
export function connect(brokers) {
  return {
    name: 'connect',
    needs: 'Java 17 or newer to run and Maven to fetch Kafka Connect and Debezium',
    ports: ['rest'],
    readyWithinMs: 180_000,

    async install(log) {
      const home = await fillCache(`connect-${KAFKA_VERSION}-${DEBEZIUM_VERSION}`, (folder) =>
        fill(folder, log),
      )
      return { version: DEBEZIUM_VERSION, home }
    },

    async launch({ home, folder, ports, start }) {
      await mkdir(folder, { recursive: true })
      const config = join(folder, 'worker.properties')
      await writeFile(config, properties({ brokers, folder, home, port: ports.rest }))
      const options = ['-Xmx512m', '-XX:+ExitOnOutOfMemoryError']
      const logging = `-Dlog4j2.configurationFile=${join(home, 'log4j2.properties')}`
      const classes = [
        '-cp',
        join(home, 'lib', '*'),
        'org.apache.kafka.connect.cli.ConnectStandalone',
      ]
      await start(java(), [...options, logging, ...classes, config])
    },

    async probe(ports) {
      const answer = await fetch(`http://${HOST}:${ports.rest}/connectors`)
      if (!answer.ok) throw new Error(`Kafka Connect answers ${answer.status}`)
    },

    env(ports) {
      return { CONNECT_URL: `http://${HOST}:${ports.rest}` }
    },
  }
}

async function fill(folder, log) {
  log(`connect: fetching Debezium ${DEBEZIUM_VERSION}, about a minute the first time`)
  await writeFile(join(folder, 'log4j2.properties'), LOGGING)
  await fetchJars(folder, [
    `org.apache.kafka:connect-runtime:${KAFKA_VERSION}`,
    `io.debezium:debezium-connector-postgres:${DEBEZIUM_VERSION}`,
    SLF4J,
  ])
}

/** Values that connectors read from the environment of the worker stand as `${env:NAME}`. */
function properties({ brokers, folder, home, port }) {
  return `
bootstrap.servers=${brokers}
listeners=http://${HOST}:${port}
key.converter=org.apache.kafka.connect.storage.StringConverter
value.converter=org.apache.kafka.connect.storage.StringConverter
offset.storage.file.filename=${join(folder, 'offsets')}
offset.flush.interval.ms=1000
plugin.discovery=service_load
plugin.path=${join(home, 'lib')}
config.providers=env
config.providers.env.class=org.apache.kafka.common.config.provider.EnvVarConfigProvider
`
}
