import { randomUUID } from 'node:crypto'
import { silentLog } from '@posthorn/engine'
import { testDatabase, withBroker } from '@posthorn/engine/testing'
import { readConfiguration } from '@posthorn/server'
import { describe, expect, test } from 'vitest'
import type { Finding } from '../finding.ts'
import { shopEvents } from '../../testing/shop.ts'
import { checkBrokers } from './brokers.ts'

// The whole way from the environment: the same that the server and its relays are given.

const database = await testDatabase()
const topic = `doctor-${randomUUID()}`

function examine(transport: string, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  return checkBrokers({
    configuration: readConfiguration(env, []),
    opened: {
      transports: {},
      outboxes: [{ ...shopEvents, destination: { transport, topic } }],
      consumers: [],
      queues: [],
    },
    pool: database.pool,
    log: silentLog,
  })
}

const LOGIN = { KAFKA_USERNAME: 'posthorn', KAFKA_PASSWORD: 'posthorn-secret' }

describe('Kafka', () => {
  withBroker('KAFKA_SECURE_BROKERS', (secure) => {
    const certificates = process.env['KAFKA_CERTIFICATES'] ?? ''
    const kafka = { KAFKA_BROKERS: secure, KAFKA_CA_FILE: `${certificates}/ca.pem` }
    const login = { ...kafka, ...LOGIN, KAFKA_SASL_MECHANISM: 'scram-sha-512' }
    const mutual = { ...kafka, KAFKA_BROKERS: process.env['KAFKA_MUTUAL_BROKERS'] }
    const own = {
      KAFKA_CERT_FILE: `${certificates}/client.pem`,
      KAFKA_KEY_FILE: `${certificates}/client-key.pem`,
    }

    test.each([
      ['SASL_SSL with SCRAM', login],
      ['SASL_SSL with PLAIN', { ...login, KAFKA_SASL_MECHANISM: 'plain' }],
      ['certificates of both sides', { ...mutual, ...own }],
    ])('is reached and looked at by %s', async (_, env) => {
      expect(await examine('kafka', env)).toMatchObject([
        { check: 'kafka', level: 'ok', says: `Kafka at ${env.KAFKA_BROKERS} can be reached` },
        { check: 'kafka', level: 'warn', says: `topic ${topic} does not exist yet` },
      ])
    })

    test.each([
      ['another password', { ...login, KAFKA_PASSWORD: 'hunter2' }, /authentication/i],
      ['no login', kafka, /reached: Connection closed/],
      ['no certificate of its own', mutual, /reached: Connection closed/],
      [
        'an authority that the system does not know',
        { ...login, KAFKA_CA_FILE: undefined, KAFKA_TLS: 'true' },
        /self-signed|certificate/,
      ],
    ])('fails with %s, says why and shows no password', async (_, env, why) => {
      const findings = await examine('kafka', env)
      expect(findings).toMatchObject([
        { check: 'kafka', level: 'fail', says: expect.stringMatching(why) },
      ])
      expect(JSON.stringify(findings)).not.toMatch(/hunter2|posthorn-secret/)
    })
  })
})

describe('RabbitMQ', () => {
  withBroker('RABBITMQ_SECURE_URL', (secure) => {
    const certificates = process.env['RABBITMQ_CERTIFICATES'] ?? ''
    const ca = { RABBITMQ_URL: secure, RABBITMQ_CA_FILE: `${certificates}/ca.pem` }
    const own = {
      RABBITMQ_CERT_FILE: `${certificates}/client.pem`,
      RABBITMQ_KEY_FILE: `${certificates}/client-key.pem`,
    }

    test('is reached and looked at by amqps: and certificates of both sides', async () => {
      expect(await examine('rabbitmq', { ...ca, ...own })).toMatchObject([
        { check: 'rabbitmq', level: 'ok', says: expect.stringContaining('can be reached') },
        { check: 'rabbitmq', level: 'warn', says: `exchange ${topic} does not exist yet` },
      ])
    })

    test.each([
      ['no certificate of its own', ca],
      ['an authority that the system does not know', { RABBITMQ_URL: secure }],
    ])('fails with %s, and shows no password', async (_, env) => {
      const findings = await examine('rabbitmq', env)
      expect(findings).toMatchObject([
        { check: 'rabbitmq', level: 'fail', says: expect.stringMatching(/reached: .*certificate/) },
      ])
      const { password } = new URL(secure)
      if (password) expect(JSON.stringify(findings)).not.toContain(`:${password}@`)
    })
  })
})
