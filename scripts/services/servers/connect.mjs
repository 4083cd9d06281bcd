import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fetchedJars, java } from '../archives.mjs'
import { readConfig } from '../lifecycle.mjs'
import { probeHttp } from '../ports.mjs'
import { KAFKA_VERSION, LOGGING, SLF4J } from './kafka.mjs'

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
      const files = { 'log4j2.properties': LOGGING }
      const name = `connect-${KAFKA_VERSION}-${DEBEZIUM_VERSION}`
      const home = await fetchedJars(name, JARS, { log, files })
      return { version: DEBEZIUM_VERSION, home }
    },

    async launch({ home, folder, ports, start }) {
      await mkdir(folder, { recursive: true })
      const config = join(folder, 'worker.properties')
      const values = { brokers, folder, home, port: ports.rest }
      await writeFile(config, readConfig('connect.properties', values))
      const options = ['-Xmx512m', '-XX:+ExitOnOutOfMemoryError']
      const logging = `-Dlog4j2.configurationFile=${join(home, 'log4j2.properties')}`
      const classes = [
        '-cp',
        join(home, 'lib', '*'),
        'org.apache.kafka.connect.cli.ConnectStandalone',
      ]
      await start(java(), [...options, logging, ...classes, config])
    },

    probe: (ports) => probeHttp(`http://${HOST}:${ports.rest}/connectors`),

    env: (ports) => ({ CONNECT_URL: `http://${HOST}:${ports.rest}` }),
  }
}

const JARS = [
  `org.apache.kafka:connect-runtime:${KAFKA_VERSION}`,
  `io.debezium:debezium-connector-postgres:${DEBEZIUM_VERSION}`,
  SLF4J,
]
