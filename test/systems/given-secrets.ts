import { plainSecret, secretWord, type GivenSecret } from '@posthorn/server/testing'

/** A password in an address: of the broker that the tests have, which refuses it, or of none. */
function login(variable: string, otherwise: string): GivenSecret {
  const address = new URL(process.env[variable] || otherwise)
  const secret = secretWord()
  address.username = 'posthorn'
  address.password = secret
  return { value: address.href, secret }
}

/** The server's own. */
export const ownSecrets = () => ({
  POSTHORN_JWT_SECRET: plainSecret(),
  POSTHORN_ENCRYPTION_KEYS: plainSecret(),
})

/** Of brokers that do not let it in. */
export function brokerSecrets() {
  return {
    KAFKA_PASSWORD: plainSecret(),
    RABBITMQ_URL: login('RABBITMQ_URL', 'amqp://127.0.0.1:1'),
    NATS_URL: login('NATS_URL', 'nats://127.0.0.1:1'),
    REDIS_URL: login('REDIS_URL', 'redis://127.0.0.1:1'),
  } satisfies Record<string, GivenSecret>
}

/** The two logins of a schema registry exclude each other. */
export const registryLogins = {
  password: () => ({ KAFKA_SCHEMA_REGISTRY_PASSWORD: plainSecret() }),
  token: () => ({ KAFKA_SCHEMA_REGISTRY_TOKEN: plainSecret() }),
}

/** The environment that sets them. */
export function environmentOf(given: Readonly<Record<string, GivenSecret>>) {
  return Object.fromEntries(Object.entries(given).map(([name, { value }]) => [name, value]))
}

export function secretsIn(given: Readonly<Record<string, GivenSecret>>): Record<string, string> {
  return Object.fromEntries(Object.entries(given).map(([name, { secret }]) => [name, secret]))
}
