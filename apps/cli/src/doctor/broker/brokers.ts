import type { Log, Transport } from '@posthorn/engine'
import {
  BROKER_NAMES,
  openBrokers,
  type BrokerAccess,
  type BrokerName,
  type Configuration,
  type Opened,
} from '@posthorn/server'
import type { Pool } from 'pg'
import { explainInnermost } from '../../errors.ts'
import { examine, fail, ok, type Finding } from '../finding.ts'
import { checkKafka } from './kafka.ts'
import {
  checkRabbitmq,
  checkNats,
  checkRedis,
  checkSqs,
  topologyOf,
  type Topology,
} from './queues.ts'

const PATIENCE_MS = 3_000

export interface BrokerCheck {
  readonly configuration: Configuration
  readonly opened: Pick<Opened, 'transports' | 'outboxes' | 'consumers' | 'queues'>
  readonly pool: Pool
  readonly log: Log
}

type Look = (
  access: BrokerAccess,
  topology: Topology,
  configuration: Pick<Configuration, 'production'>,
) => Promise<Finding[]>

/** Whether a broker has what is sent to and read from. */
const LOOKS: Readonly<Record<BrokerName, Look>> = {
  kafka: checkKafka,
  rabbitmq: checkRabbitmq,
  nats: checkNats,
  redis: checkRedis,
  sqs: checkSqs,
}

/** Whether the brokers that are configured let us in, and have what is sent to and read from. */
export async function checkBrokers(options: BrokerCheck): Promise<Finding[]> {
  const reached = await checkReach(options)
  if (reached.length === 0) return [ok('brokers', 'none configured: topics are in PostgreSQL')]
  const { configuration, opened } = options
  const isUp = (name: string) =>
    reached.some(({ check, level }) => check === name && level === 'ok')
  const findings = [...reached]
  for (const name of BROKER_NAMES) {
    const access = configuration.brokers[name]
    if (access === undefined || !isUp(name)) continue
    const look = () => LOOKS[name](access, topologyOf(opened, name), configuration)
    findings.push(...(await examine(name, look)))
  }
  return findings
}

async function checkReach({ opened, ...options }: BrokerCheck): Promise<Finding[]> {
  const brokers = await openBrokers(options)
  try {
    const all: Record<string, Transport> = { ...brokers.byName, ...opened.transports }
    const checks = Object.entries(all).flatMap(([name, transport]) =>
      transport.ping
        ? [reach(name, brokers.where[name] ?? 'it', () => within(transport.ping?.()))]
        : [],
    )
    return await Promise.all(checks)
  } finally {
    await brokers.close()
  }
}

async function reach(name: string, where: string, ping: () => Promise<unknown>): Promise<Finding> {
  try {
    await ping()
    return ok(name, `${where} can be reached`)
  } catch (error) {
    const todo = 'check that it runs, and its address, certificates and login'
    return fail(name, `${where} cannot be reached: ${explainInnermost(error)}`, todo)
  }
}

async function within(work: Promise<unknown> | undefined): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${PATIENCE_MS} ms`)), PATIENCE_MS)
  })
  try {
    await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
