/** Something did not happen as the demo says. */
export class DemoError extends Error {
  override readonly name = 'DemoError'
}

export interface DemoRequest {
  readonly json?: unknown
  /** A body other than JSON, with its type. */
  readonly content?: { readonly type: string; readonly bytes: string | Uint8Array<ArrayBuffer> }
  readonly headers?: Readonly<Record<string, string>>
  /** Statuses that the demo expects; default any success. */
  readonly expect?: readonly number[]
}

/** The HTTP API of a server, as a user with a token calls it. */
export interface DemoApi {
  get<Body>(path: string): Promise<Body>
  post<Body>(path: string, request?: DemoRequest): Promise<Body>
  /** Asks again until the answer is as wanted, and returns it. */
  until<Body>(path: string, isDone: (body: Body) => boolean): Promise<Body>
}

/** What a step runs on. `Notes` is what later steps of the chapter need from earlier ones. */
export interface Stage<Notes = undefined> {
  readonly api: DemoApi
  /** Different for every run: keys, names and numbers contain it, so that a run can be repeated. */
  readonly run: string
  /** The address of this server as others reach it. */
  readonly baseUrl: string
  readonly notes: Notes
  /** Tells the audience the result, as a sentence. */
  tell(sentence: string): void
}

/** One step: what is said before it runs, and where to look. */
export interface DemoStep<Notes = undefined> {
  readonly id: string
  readonly title: string
  readonly about: string
  /** Addresses of the dashboard. */
  readonly look: readonly { readonly label: string; readonly path: string }[]
  /** Steps run in the order of the systems; an `opening` runs before all of them, a `closing` after. */
  readonly part?: 'opening' | 'closing'
  play(stage: Stage<Notes>): Promise<void>
}

/** A system's chapter of the demo. */
export interface DemoChapter {
  /** Simulators it needs: nothing of it may reach a real recipient. */
  readonly simulators: readonly string[]
  /** A first request to try, shown when the server starts. */
  readonly firstRequest?: { readonly path: string; readonly json: unknown }
  /** The steps of one run, which share its notes. */
  steps(): readonly DemoStep[]
}

/** Binds steps to the notes of their run. */
export function stepsWith<Notes>(notes: Notes, steps: readonly DemoStep<Notes>[]): DemoStep[] {
  return steps.map((step) => ({ ...step, play: (stage) => step.play({ ...stage, notes }) }))
}

export interface DemoFault {
  readonly mode: 'error' | 'slow'
  readonly status?: number
  readonly code?: string
  readonly times?: number
  readonly delayMs?: number
}

/** Makes a simulator fail. */
export async function fail(api: DemoApi, simulator: string, fault: DemoFault): Promise<void> {
  await api.post(`/sim/${simulator}/faults`, { json: fault })
}

/** Clears the fault of a simulator. */
export async function mend(api: DemoApi, simulator: string): Promise<void> {
  await api.post(`/sim/${simulator}/faults`, { json: { mode: 'ok' } })
}

/** Moves the business clock, which wakes every relay. */
export async function advance(api: DemoApi, by: string): Promise<void> {
  await api.post('/sim/clock/advance', { json: { by } })
}
