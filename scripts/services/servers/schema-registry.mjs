import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fetchedArtifact, java } from '../archives.mjs'
import { probeHttp } from '../ports.mjs'

// The last line of it that runs on Java 17.
const VERSION = '2.6.13.Final'
const HOST = '127.0.0.1'

/** Where Apicurio speaks as Confluent's registry does. */
const API = '/apis/ccompat/v7'

/** Apicurio Registry with its schemas in memory, by the API of Confluent's Schema Registry. */
export const schemaRegistry = {
  name: 'schema-registry',
  variable: 'SCHEMA_REGISTRY_URL',
  usualPort: 80,
  needs: 'Java 17 or newer to run and Maven to fetch Apicurio Registry',
  ports: ['http'],
  readyWithinMs: 180_000,

  async install(log) {
    const artifact = `io.apicurio:apicurio-registry-app:${VERSION}:tar.gz:all`
    const home = await fetchedArtifact(`apicurio-${VERSION}`, artifact, log)
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

  probe: (ports) => probeHttp(`http://${HOST}:${ports.http}${API}/subjects`),

  env: (ports) => ({ SCHEMA_REGISTRY_URL: `http://${HOST}:${ports.http}${API}` }),
}
