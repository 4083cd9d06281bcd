import type { FastifyInstance, FastifyRequest } from 'fastify'
import { PosthornError } from '@posthorn/engine'
import type { Fault, FaultOrder } from './fault.ts'
import type { World } from './world.ts'

/** Someone of the outside world: a provider, a gateway, a customer's endpoint. */
export interface Simulator {
  /** Its place: `/sim/{name}`. */
  readonly name: string
  /** What it stands for, in a sentence. */
  readonly about: string
  /** Makes what one server has of it. State lives in here, so that two servers share none. */
  open(world: SimulatorWorld): OpenSimulator | Promise<OpenSimulator>
  /** It is used only where no other system brings a simulator of this name. */
  readonly standIn?: boolean
  /** For a simulator that receives webhooks: how the server that plays it recognises it. */
  receivers?(baseUrl: () => string): Receivers
}

/** Receivers of webhooks that this server plays itself. */
export interface Receivers {
  /** Whether the URL is one of theirs: it may be on this machine. */
  includes(url: URL): boolean
  /** Gives a receiver the secrets of its endpoint; does nothing for other URLs, and never throws. */
  introduce(url: string, secrets: readonly string[]): Promise<void>
}

/** What a simulator is given. */
export interface SimulatorWorld extends World {
  /** The bytes of the request's body, for signatures; of `multipart/form-data` there are none. */
  rawBody(request: FastifyRequest): Buffer
  /** Adds fields to what `GET /sim/{name}/requests` shows of this request. */
  note(request: FastifyRequest, fields: Readonly<Record<string, unknown>>): void
  /** Lets the answer to this request fail after its work, for inputs that mean failure. */
  fail(request: FastifyRequest, order: FaultOrder): void
}

export interface OpenSimulator {
  /** Routes of its protocol, below `/sim/{name}`: recorded, and subject to faults. */
  routes?(app: FastifyInstance): void | Promise<void>
  /** Further routes for people and tests, neither recorded nor failing. */
  control?(app: FastifyInstance): void | Promise<void>
  /** How its protocol says `error`; default: a JSON body with `code` and `message`. */
  failure?(fault: Fault): Failure
  /** What `GET /sim/{name}/requests` lists, for protocols other than HTTP. Newest first. */
  arrivals?(before: number | undefined): Iterable<{ readonly id: number; readonly outcome: string }>
  /** Forgets its own state, after `DELETE /sim/{name}`. */
  forget?(): void
  /** Where it listens, if that is not below `/sim/{name}`. */
  readonly address?: string
  close?(): Promise<void>
}

export interface Failure {
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Checks a simulator's name at the start. */
export function defineSimulator(simulator: Simulator): Simulator {
  const { name } = simulator
  if (!/^[a-z][a-z0-9-]{0,39}$/.test(name) || name === 'clock') {
    throw new PosthornError(
      'DEFINITION_INVALID',
      `simulator ${name}: name: must be lower-case letters, digits and dashes, and not "clock"`,
    )
  }
  return simulator
}
