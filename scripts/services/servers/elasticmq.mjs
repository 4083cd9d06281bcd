import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fillCache } from '../cache.mjs'
import { fetchJars, java } from '../maven.mjs'
import { AWS } from './versitygw.mjs'

const VERSION = '1.6.12'
const HOST = '127.0.0.1'

/** ElasticMQ, which speaks as SQS does and keeps its messages in memory; from its jars. */
export const elasticmq = {
  name: 'sqs',
  variable: 'SQS_ENDPOINT',
  needs: 'Java 11 or newer to run and Maven to fetch ElasticMQ',
  ports: ['sqs'],
  readyWithinMs: 180_000,

  async install(log) {
    const home = await fillCache(`elasticmq-${VERSION}`, async (folder) => {
      log(`sqs: fetching ElasticMQ ${VERSION}, about half a minute the first time`)
      await fetchJars(folder, [`org.elasticmq:elasticmq-server_2.13:${VERSION}`])
    })
    return { version: `ElasticMQ ${VERSION}`, home }
  },

  async launch({ home, folder, ports, start }) {
    await mkdir(folder, { recursive: true })
    const config = join(folder, 'elasticmq.conf')
    await writeFile(config, settings(ports.sqs))
    const options = ['-Xmx256m', '-XX:+ExitOnOutOfMemoryError', `-Dconfig.file=${config}`]
    await start(java(), [...options, '-cp', join(home, 'lib', '*'), 'org.elasticmq.server.Main'])
  },

  async probe(ports) {
    const body = new URLSearchParams({ Action: 'ListQueues' })
    const answer = await fetch(`http://${HOST}:${ports.sqs}/`, { method: 'POST', body })
    if (!answer.ok) throw new Error(`ElasticMQ answers ${answer.status}`)
  },

  env(ports) {
    return { SQS_ENDPOINT: `http://${HOST}:${ports.sqs}`, ...AWS }
  },

  addresses(url) {
    const { hostname, port } = new URL(url)
    return [{ host: hostname, port: Number(port) || 80 }]
  },
}

function settings(port) {
  return `include classpath("application.conf")
node-address { host = ${HOST}, port = ${port} }
rest-sqs { enabled = true, bind-hostname = "${HOST}", bind-port = ${port} }
rest-stats { enabled = false }
`
}
