import { randomBytes } from 'node:crypto'

/** What a setting is set to, and what of it must be found nowhere. */
export interface GivenSecret {
  readonly value: string
  readonly secret: string
}

const word = () => randomBytes(18).toString('hex')

const plain = (begin = ''): GivenSecret => {
  const value = `${begin}${word()}`
  return { value, secret: value }
}

/** A password in an address: of the broker that the tests have, which refuses it, or of none. */
function login(variable: string, otherwise: string): GivenSecret {
  const address = new URL(process.env[variable] || otherwise)
  const secret = word()
  address.username = 'posthorn'
  address.password = secret
  return { value: address.href, secret }
}

/** With a new secret for every setting of the server that sells, writes and pays. */
export function businessSecrets() {
  const [mail, key] = [word(), word()]
  return {
    POSTHORN_JWT_SECRET: plain(),
    POSTHORN_ENCRYPTION_KEYS: plain(),
    GATEWAY_API_KEY: plain(),
    PAYMENTS_WEBHOOK_SECRET: plain(),
    STRIPE_API_KEY: plain('sk_test_'),
    STRIPE_WEBHOOK_SECRET: plain('whsec_'),
    WHATSAPP_ACCESS_TOKEN: plain(),
    WHATSAPP_APP_SECRET: plain(),
    WHATSAPP_VERIFY_TOKEN: plain(),
    DOCUMENTS_TOKEN: plain(),
    S3_EVENTS_TOKEN: plain(),
    ALERTS_WEBHOOK_SECRET: plain(`whsec_${word().slice(0, 4)}`),
    // In addresses of servers that do not answer: their errors are logged, stored and counted.
    OUTBOUND_EMAIL_URL: { value: `smtp://posthorn:${mail}@127.0.0.1:1`, secret: mail },
    ALERTS_WEBHOOK_URL: { value: `http://127.0.0.1:1/alerts?key=${key}`, secret: key },
  } satisfies Record<string, GivenSecret>
}

/** Of the brokers, the bucket and the mail server that let this one not in. */
export function neighbourSecrets() {
  const mail = word()
  return {
    KAFKA_PASSWORD: plain(),
    RABBITMQ_URL: login('RABBITMQ_URL', 'amqp://127.0.0.1:1'),
    NATS_URL: login('NATS_URL', 'nats://127.0.0.1:1'),
    REDIS_URL: login('REDIS_URL', 'redis://127.0.0.1:1'),
    S3_SECRET_ACCESS_KEY: plain(),
    SMTP_URL: { value: `smtp://posthorn:${mail}@127.0.0.1:1`, secret: mail },
  } satisfies Record<string, GivenSecret>
}

/** The two logins of a schema registry exclude each other. */
export const registryLogins = {
  password: () => ({ KAFKA_SCHEMA_REGISTRY_PASSWORD: plain() }),
  token: () => ({ KAFKA_SCHEMA_REGISTRY_TOKEN: plain() }),
}

/** The environment that sets them. */
export function environmentOf(given: Readonly<Record<string, GivenSecret>>) {
  return Object.fromEntries(Object.entries(given).map(([name, { value }]) => [name, value]))
}

export function secretsIn(given: Readonly<Record<string, GivenSecret>>): Record<string, string> {
  return Object.fromEntries(Object.entries(given).map(([name, { secret }]) => [name, secret]))
}
