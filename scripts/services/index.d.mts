export type ServiceName = 'kafka' | 'rabbitmq' | 'nats' | 'redis' | 'sqs' | 'schema-registry' | 's3'

/** `dir`: where pids, ports, data and logs of servers of one's own are kept; default `.services` at the root. */
type In = { dir?: string }
type Log = (line: string) => void
type Env = Record<string, string>

export type Services = {
  env: Env
  versions: Partial<Record<ServiceName, string>>
  failures: Partial<Record<ServiceName, string>>
  stop(): Promise<void>
}

export const serviceNames: ServiceName[]

export function startServices(
  options?: In & { names?: ServiceName[]; log?: Log },
): Promise<Services>

export function stopServices(options?: In & { names?: ServiceName[] }): Promise<void>

export function restartService(
  name: ServiceName,
  options?: In & { log?: Log },
): Promise<{ env: Env; version: string }>

export function killService(name: ServiceName, options?: In): Promise<void>

export function inspectServices(
  options?: In & { names?: ServiceName[] },
): Promise<Record<ServiceName, { env: Env; version: string; pid?: number } | undefined>>

/** The programs of another PostgreSQL than the installed one, by its major; undefined for that one. */
export function postgresPrograms(major?: string, log?: Log): Promise<string | undefined>

/** A server that belongs to its caller; started again in the same `dir` it has its address and data. */
type Owned = Promise<{
  url: string
  version: string
  folder: string
  stop(): Promise<void>
  kill(): Promise<void>
}>
type OwnedIn = { dir: string; log?: Log }

/** A PgBouncer in transaction mode. */
export function startPgbouncer(databaseUrl: string, options: OwnedIn): Owned
export function startRedis(options: OwnedIn): Owned
/** Kafka Connect with Debezium; `url` is its REST interface. */
export function startConnect(brokers: string, options: OwnedIn): Owned

/** Programs of a PostgreSQL cluster, and the account that can run them; fetched if they are not there. */
export function ensurePatroni(options?: { log?: Log }): Promise<{
  python: string
  etcd: string
  /** The folder of PostgreSQL's programs. */
  binaries: string
  env: Env
  account: { uid?: number; gid?: number }
  versions: string
}>

/** Programs of a RabbitMQ cluster, and the environment of one of its nodes. */
export function ensureRabbitmq(options?: { log?: Log }): Promise<{
  version: string
  epmd: string
  server: string
  env(node: { folder: string; ports: { distribution: number; epmd: number } }): Env
}>

/** What Kafka's programs are run with: `java`, then these arguments and the class. */
export function ensureKafka(options?: {
  log?: Log
}): Promise<{ version: string; java: string; classPath: string[] }>

/** A file with settings, with these values in the place of its `{{name}}`. */
export function readConfig(
  file: string | URL,
  values?: Readonly<Record<string, string | number | boolean>>,
): string

/** A free port per name. */
export function freePorts<Name extends string>(names: Name[]): Promise<Record<Name, number>>

/** The folder with schemathesis, for `PYTHONPATH`; fetched if it is not there. */
export function ensureSchemathesis(options?: { log?: Log }): Promise<string>

/** How to run psql; fetched if there is none. */
export function ensurePsql(options?: {
  log?: Log
}): Promise<{ path: string; env: Record<string, string> }>

/** The path of helm; built if it is not there. */
export function ensureHelm(options?: { log?: Log }): Promise<string>

/** The folder with kubernetes-validate, for `PYTHONPATH`; fetched if it is not there. */
export function ensureKubernetesSchemas(options?: { log?: Log }): Promise<string>

/** The file with the schema of a ServiceMonitor; fetched if it is not there. */
export function ensureServiceMonitors(options?: { log?: Log }): Promise<string>

/** The path of a program that reads Compose files as Docker does; built if it is not there. */
export function ensureCompose(options?: { log?: Log }): Promise<string>

/** Bun and Deno: the program and what stands before a script; fetched if they are not there. */
export function ensureRuntimes(options?: {
  log?: Log
}): Promise<Readonly<Record<'bun' | 'deno', readonly string[]>>>

/** The path of a Chromium that runs headless; fetched if there is none. */
export function ensureChromium(options?: { log?: Log }): Promise<string>
