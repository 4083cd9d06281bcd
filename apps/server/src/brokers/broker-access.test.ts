import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { silentLog, toMessage, type Message } from '@posthorn/engine'
import { testDatabase, withBroker } from '@posthorn/engine/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type BrokerName, openBrokers } from './broker-catalogue.ts'
import { readConfiguration, type ConfigurationError } from '../configuration/configuration.ts'

const database = await testDatabase()

async function open(env: NodeJS.ProcessEnv, name: BrokerName) {
  const configuration = readConfiguration(env, [])
  const brokers = await openBrokers({ configuration, pool: database.pool, log: silentLog })
  onTestFinished(() => brokers.close())
  const broker = brokers.byName[name]
  if (!broker) throw new Error(`no broker ${name}`)
  return broker
}

/** Sends one message by what the environment says, and reads it back by the same. */
async function sendAndRead(env: NodeJS.ProcessEnv, name: BrokerName): Promise<void> {
  const broker = await open(env, name)
  const topic = `secured-${randomUUID()}`
  const arrived = Promise.withResolvers<Message>()
  const handle = async (message: Message) => arrived.resolve(message)
  await broker.subscribe({ topic, group: 'g', handle })
  const message = toMessage({ id: randomUUID(), type: 'secured', payload: { n: 1 } })
  expect(await deliver(broker, topic, message)).toMatchObject({ kind: 'delivered' })
  expect(await arrived.promise).toMatchObject({ id: message.id, payload: { n: 1 } })
}

async function deliver(
  broker: Awaited<ReturnType<typeof open>>,
  topic: string,
  message = toMessage({ id: randomUUID(), type: 'secured', payload: {} }),
) {
  const delivery = { message, destination: { transport: 'broker', topic } }
  const options = { ordered: true, signal: new AbortController().signal }
  const [outcome] = await broker.deliver([delivery], options)
  return outcome
}

/** An identity provider as far as client credentials go; its tokens are unsigned. */
async function startIdentityProvider() {
  const asked: string[] = []
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const server = createServer((request, response) => {
    asked.push(Buffer.from((request.headers.authorization ?? '').slice(6), 'base64').toString())
    const iat = Math.floor(Date.now() / 1_000)
    const claims = { sub: 'posthorn', iat, exp: iat + 300, scope: 'events' }
    const token = `${part({ alg: 'none' })}.${part(claims)}.`
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ access_token: token, token_type: 'bearer', expires_in: 300 }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`, asked }
}

const LOGIN = { KAFKA_USERNAME: 'posthorn', KAFKA_PASSWORD: 'posthorn-secret' }

withBroker('KAFKA_SECURE_BROKERS', (secure) => {
  const certificates = process.env['KAFKA_CERTIFICATES'] ?? ''
  const kafka = { KAFKA_BROKERS: secure, KAFKA_CA_FILE: `${certificates}/ca.pem` }

  test.each(['plain', 'scram-sha-256', 'scram-sha-512'])(
    'Kafka by TLS and a login with %s',
    async (mechanism) => {
      await sendAndRead({ ...kafka, ...LOGIN, KAFKA_SASL_MECHANISM: mechanism }, 'kafka')
    },
  )

  test('Kafka by TLS and a token, which is asked for once', async () => {
    const provider = await startIdentityProvider()
    const env = { ...kafka, KAFKA_SASL_MECHANISM: 'oauthbearer', KAFKA_USERNAME: 'horn' }
    const token = { KAFKA_PASSWORD: 'a secret: öäü', KAFKA_OAUTH_TOKEN_URL: provider.url }
    await sendAndRead({ ...env, ...token }, 'kafka')
    expect(provider.asked).toEqual([`horn:${encodeURIComponent('a secret: öäü')}`])
  })

  test('Kafka by certificates of both sides', async () => {
    const own = {
      KAFKA_CERT_FILE: `${certificates}/client.pem`,
      KAFKA_KEY_FILE: `${certificates}/client-key.pem`,
    }
    const mutual = { ...kafka, KAFKA_BROKERS: process.env['KAFKA_MUTUAL_BROKERS'] }
    await sendAndRead({ ...mutual, ...own }, 'kafka')
    const anonymous = await open(mutual, 'kafka')
    expect(await deliver(anonymous, 'secured-never')).toMatchObject({ unreachable: true })
  })

  test.each([
    ['another password', { ...LOGIN, KAFKA_PASSWORD: 'wrong' }, kafka],
    ['brokers that the system does not know', LOGIN, { KAFKA_BROKERS: secure, KAFKA_TLS: 'true' }],
  ])('a message waits behind %s', async (_, login, env) => {
    const broker = await open({ ...env, ...login, KAFKA_SASL_MECHANISM: 'scram-sha-512' }, 'kafka')
    const outcome = await deliver(broker, 'secured-never')
    expect(outcome).toMatchObject({ kind: 'retryLater', unreachable: true })
    expect(JSON.stringify(outcome)).not.toMatch(/wrong|posthorn-secret/)
  })
})

withBroker('RABBITMQ_SECURE_URL', (secure) => {
  const certificates = process.env['RABBITMQ_CERTIFICATES'] ?? ''
  const ours = {
    RABBITMQ_URL: secure,
    RABBITMQ_CA_FILE: `${certificates}/ca.pem`,
    RABBITMQ_CERT_FILE: `${certificates}/client.pem`,
    RABBITMQ_KEY_FILE: `${certificates}/client-key.pem`,
  }

  test('RabbitMQ by amqps: and certificates of both sides', async () => {
    await sendAndRead(ours, 'rabbitmq')
  })

  test('a message waits behind a RabbitMQ that the system does not know', async () => {
    const broker = await open({ RABBITMQ_URL: secure }, 'rabbitmq')
    expect(await deliver(broker, 'secured-never')).toMatchObject({ unreachable: true })
  })
})

describe('brokers whose address is all there is to say', () => {
  for (const [name, variable] of [
    ['nats', 'NATS_URL'],
    ['redis', 'REDIS_URL'],
    ['sqs', 'SQS_ENDPOINT'],
  ] as const) {
    withBroker(variable, (address) => {
      test(`${name} by ${variable}`, async () => {
        await sendAndRead({ [variable]: address }, name)
      })
    })
  }
})

test.each([
  [{ SQS_ENDPOINT: 'https://sqs.eu-central-1.amazonaws.com' }, { region: 'eu-central-1' }],
  [{ SQS_ENDPOINT: 'https://sqs-fips.us-gov-west-1.amazonaws.com' }, { region: 'us-gov-west-1' }],
  [{ SQS_ENDPOINT: 'https://vpce-1.sqs.ap-south-1.vpce.amazonaws.com' }, { region: 'ap-south-1' }],
  [{ SQS_ENDPOINT: 'http://elasticmq:9324' }, { region: 'us-east-1' }],
  [
    { SQS_ENDPOINT: 'http://queues:9324', SQS_REGION: 'eu-west-1', SQS_PREFIX: 'shop_' },
    { region: 'eu-west-1', prefix: 'shop_' },
  ],
])('SQS in the region that its address or SQS_REGION says: %j', (env, wanted) => {
  const { brokers } = readConfiguration(env, [])
  expect(brokers.sqs).toEqual({ address: env.SQS_ENDPOINT, ...wanted })
})

test('the session of Kafka consumers is as long as the environment says', () => {
  const { brokers } = readConfiguration({ KAFKA_BROKERS: 'a:9092', KAFKA_SESSION_MS: '6000' }, [])
  expect(brokers.kafka).toEqual({ address: 'a:9092', session: '6000ms' })
})

withBroker('KAFKA_BROKERS', (brokers) => {
  withBroker('SCHEMA_REGISTRY_URL', (url) => {
    test('Kafka with a Schema Registry', async () => {
      const env = { KAFKA_BROKERS: brokers, KAFKA_SCHEMA_REGISTRY_URL: url }
      const broker = await open({ ...env, KAFKA_SCHEMA_REGISTRY_SUBJECT: 'type' }, 'kafka')
      const type = `secured.${randomUUID()}`
      const message = toMessage({ id: randomUUID(), type, payload: {} })
      expect(await deliver(broker, 'secured-schemas', message)).toMatchObject({
        ...{ kind: 'refused', failure: { code: 'SCHEMA_MISSING' } },
      })
    })
  })
})

test('a Schema Registry with a login and certificates of its own', () => {
  const certificate = import.meta.filename
  const env = {
    KAFKA_BROKERS: 'a:9092',
    KAFKA_SCHEMA_REGISTRY_URL: 'https://registry:8081',
    KAFKA_SCHEMA_REGISTRY_USERNAME: 'posthorn',
    KAFKA_SCHEMA_REGISTRY_PASSWORD: 'secret',
  }
  expect(readConfiguration(env, []).brokers.kafka?.schemaRegistry).toEqual({
    ...{ url: 'https://registry:8081', subject: 'topic' },
    auth: { username: 'posthorn', password: 'secret' },
  })
  expect(() =>
    readConfiguration({ ...env, KAFKA_SCHEMA_REGISTRY_CA_FILE: certificate }, []),
  ).toThrow(/KAFKA_SCHEMA_REGISTRY_CA_FILE must be a PEM file/)
})

describe('what belongs together', () => {
  const mistakesOf = (env: NodeJS.ProcessEnv): readonly string[] => {
    try {
      readConfiguration(env, [])
      return []
    } catch (error) {
      return (error as ConfigurationError).mistakes
    }
  }
  const kafka = { KAFKA_BROKERS: 'a:9092' }
  const missing = '/nowhere/ca.pem'
  const notPem = import.meta.filename

  test.each([
    [{ KAFKA_TLS: 'true' }, ['KAFKA_TLS is without effect: it needs KAFKA_BROKERS']],
    [{ ...kafka, ...LOGIN }, [/^KAFKA_USERNAME is without effect/, /^KAFKA_PASSWORD is/]],
    [{ ...kafka, KAFKA_SASL_MECHANISM: 'plain' }, [/needs KAFKA_USERNAME/, /KAFKA_PASSWORD/]],
    [
      { ...kafka, ...LOGIN, KAFKA_SASL_MECHANISM: 'oauthbearer' },
      ['KAFKA_SASL_MECHANISM=oauthbearer needs KAFKA_OAUTH_TOKEN_URL'],
    ],
    [{ ...kafka, KAFKA_SASL_MECHANISM: 'gssapi', ...LOGIN }, [/^KAFKA_SASL_MECHANISM must be/]],
    [{ ...kafka, KAFKA_CA_FILE: missing }, [/^KAFKA_CA_FILE cannot be read: ENOENT/]],
    [{ ...kafka, KAFKA_CA_FILE: notPem }, [/^KAFKA_CA_FILE must be a PEM file/]],
    [
      { ...kafka, KAFKA_SCHEMA_REGISTRY_TOKEN: 'abc' },
      ['KAFKA_SCHEMA_REGISTRY_TOKEN is without effect: it needs KAFKA_SCHEMA_REGISTRY_URL'],
    ],
    [
      {
        ...{ ...kafka, KAFKA_SCHEMA_REGISTRY_URL: 'http://a:8081' },
        ...{ KAFKA_SCHEMA_REGISTRY_USERNAME: 'ada', KAFKA_SCHEMA_REGISTRY_TOKEN: 'abc' },
      },
      [/belong together/, /exclude each other/],
    ],
    [{ SQS_PREFIX: 'shop_' }, ['SQS_PREFIX is without effect: it needs SQS_ENDPOINT']],
    [{ SQS_ENDPOINT: 'https://key:secret@sqs.eu-central-1.amazonaws.com' }, [/^SQS_ENDPOINT must/]],
    [
      { RABBITMQ_URL: 'amqp://a', RABBITMQ_CA_FILE: missing },
      [/^RABBITMQ_CA_FILE cannot be read/, /begins with amqps:$/],
    ],
  ])('%j', (env, wanted) => {
    const said = wanted.map((one) => expect.stringMatching(one))
    expect(mistakesOf(env)).toEqual(said)
  })
})
