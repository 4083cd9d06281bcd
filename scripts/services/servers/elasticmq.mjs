import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fetchedJars, java } from '../archives.mjs'
import { readConfig } from '../lifecycle.mjs'
import { probeHttp } from '../ports.mjs'
import { AWS } from './versitygw.mjs'

const VERSION = '1.6.12'
const HOST = '127.0.0.1'

/** ElasticMQ, which speaks as SQS does and keeps its messages in memory; from its jars. */
export const elasticmq = {
  name: 'sqs',
  variable: 'SQS_ENDPOINT',
  usualPort: 80,
  needs: 'Java 11 or newer to run and Maven to fetch ElasticMQ',
  ports: ['sqs'],
  readyWithinMs: 180_000,

  async install(log) {
    const jars = [`org.elasticmq:elasticmq-server_2.13:${VERSION}`]
    const home = await fetchedJars(`elasticmq-${VERSION}`, jars, { log })
    return { version: `ElasticMQ ${VERSION}`, home }
  },

  async launch({ home, folder, ports, start }) {
    await mkdir(folder, { recursive: true })
    const config = join(folder, 'elasticmq.conf')
    await writeFile(config, readConfig('elasticmq.conf', { port: ports.sqs }))
    const options = ['-Xmx256m', '-XX:+ExitOnOutOfMemoryError', `-Dconfig.file=${config}`]
    await start(java(), [...options, '-cp', join(home, 'lib', '*'), 'org.elasticmq.server.Main'])
  },

  probe: (ports) =>
    probeHttp(`http://${HOST}:${ports.sqs}/`, {
      method: 'POST',
      body: new URLSearchParams({ Action: 'ListQueues' }),
    }),

  env: (ports) => ({ SQS_ENDPOINT: `http://${HOST}:${ports.sqs}`, ...AWS }),
}
