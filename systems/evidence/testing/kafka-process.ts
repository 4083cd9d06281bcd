import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { killService, restartService, startServices } from '../../../scripts/services/index.mjs'

/*
 * Owns a Kafka broker on behalf of a test: kills and starts it on request, and ends it when the test's
 * process is gone, however that went. The broker is a process of its own and would go on for ever.
 */

export type KafkaOrder = 'kill' | 'start'
export type KafkaAnswer = { readonly brokers: string } | { readonly problem: string } | 'done'

// Ctrl-C in the terminal of the tests interrupts us too: there is something to end first.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

const log = () => undefined
const dir = await mkdtemp(join(tmpdir(), 'posthorn-kafka-'))
const say = (answer: KafkaAnswer) => void process.send?.(answer)

process.once('disconnect', () => void end())
process.on('message', (order: KafkaOrder) => void obey(order))

const { env, failures } = await startServices({ names: ['kafka'], dir, log })
say(
  env['KAFKA_BROKERS'] === undefined
    ? { problem: failures.kafka ?? 'Kafka could not be started' }
    : { brokers: env['KAFKA_BROKERS'] },
)
// The test may have gone while the broker came up.
if (!process.connected) await end()

async function obey(order: KafkaOrder): Promise<void> {
  if (order === 'kill') await killService('kafka', { dir })
  else await restartService('kafka', { dir, log })
  say('done')
}

async function end(): Promise<void> {
  await killService('kafka', { dir }).catch(() => undefined)
  await rm(dir, { recursive: true, force: true })
  process.exit(0)
}
