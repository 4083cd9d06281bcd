import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fillCache } from '../cache.mjs'
import { java, unpackArtifact } from '../maven.mjs'

// The last line of it that runs on Java 17.
const VERSION = '2.6.13.Final'
const HOST = '127.0.0.1'

/** Where Apicurio speaks as Confluent's registry does. */
const API = '/apis/ccompat/v7'

/** Apicurio Registry with its schemas in memory, by the API of Confluent's Schema Registry. */
export const schemaRegistry = {
  name: 'schema-registry',
  variable: 'SCHEMA_REGISTRY_URL',
  needs: 'Java 17 or newer to run and Maven to fetch Apicurio Registry',
  ports: ['http'],
  readyWithinMs: 180_000,

  async install(log) {
    const home = await fillCache(`apicurio-${VERSION}`, async (folder) => {
      log(`schema-registry: fetching Apicurio ${VERSION}, 140 MB the first time`)
      await unpackArtifact(folder, `io.apicurio:apicurio-registry-app:${VERSION}:tar.gz:all`)
    })
    return { version: `Apicurio Registry ${VERSION}`, home }
  },

  async launch({ home, folder, ports, start }) {
    const temporary = join(folder, 'tmp')
    await mkdir(temporary, { recursive: true })
    await start(java(), [
      // It starts in a third of the processor time without the compiler for long runs.
      ...['-Xmx256m', '-XX:+ExitOnOutOfMemoryError', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'],
      `-Djava.io.tmpdir=${temporary}/`,
      `-Dquarkus.http.host=${HOST}`,
      `-Dquarkus.http.port=${ports.http}`,
      '-Dquarkus.log.level=WARN',
      '-jar',
      join(home, `apicurio-registry-app-${VERSION}-runner.jar`),
    ])
  },

  async probe(ports) {
    const answer = await fetch(`http://${HOST}:${ports.http}${API}/subjects`)
    if (!answer.ok) throw new Error(`Apicurio answers ${answer.status}`)
  },

  env(ports) {
    return { SCHEMA_REGISTRY_URL: `http://${HOST}:${ports.http}${API}` }
  },

  addresses(url) {
    const { hostname, port } = new URL(url)
    return [{ host: hostname, port: Number(port) || 80 }]
  },
}
