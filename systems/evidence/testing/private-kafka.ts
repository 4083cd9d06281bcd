import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { KafkaAnswer, KafkaOrder } from './kafka-process.ts'

/** A Kafka broker that belongs to one test file, so that it may be killed. */
export interface PrivateKafka {
  readonly brokers: string
  /** As `kill -9`. */
  kill(): Promise<void>
  /** At the same address and with its data; resolves when it answers. */
  start(): Promise<void>
  close(): Promise<void>
}

export async function privateKafka(): Promise<PrivateKafka> {
  const child = fork(fileURLToPath(new URL('./kafka-process.ts', import.meta.url)))
  const exited = once(child, 'exit')
  const answer = async () => {
    const [said] = (await once(child, 'message')) as [KafkaAnswer]
    return said
  }
  const order = async (what: KafkaOrder) => {
    const done = answer()
    child.send(what)
    await done
  }
  const began = await answer()
  if (began === 'done') throw new Error('Kafka was started twice')
  if ('problem' in began) throw new Error(began.problem)
  return {
    brokers: began.brokers,
    kill: () => order('kill'),
    start: () => order('start'),
    async close() {
      if (child.connected) child.disconnect()
      await exited
    },
  }
}
