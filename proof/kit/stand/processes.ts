import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { SERVER_PROCESS, startChild, type Child } from '../processes/child.ts'
import { root } from '../../upgrade/previous.ts'

export type VersionName = 'old' | 'new'

export interface ProcessesOptions {
  readonly ports: readonly number[]
  readonly env: Readonly<Record<string, string>>
  readonly folder: string
  /** The folder of the version before, if it is to run. */
  readonly previousRoot?: string
}

interface Running {
  readonly version: VersionName
  readonly port: number
  readonly child: Child
}

/** Processes of both versions, each with all roles and a port of its own. */
export class Processes {
  readonly #options: ProcessesOptions
  readonly #running = new Set<Running>()
  readonly ended: string[] = []
  #started = 0

  constructor(options: ProcessesOptions) {
    this.#options = options
  }

  /** The first one of this version alone, which makes the tables. */
  async startFirst(): Promise<void> {
    await this.start('new', 1, { POSTHORN_MIGRATE: 'auto' })
  }

  async start(version: VersionName, count: number, env = {}): Promise<void> {
    for (let i = 0; i < count; i += 1) {
      const running = this.#spawn(version, env)
      this.#running.add(running)
      void this.#watch(running)
      await running.child.ready
    }
  }

  async #watch(running: Running): Promise<void> {
    const status = await running.child.ended
    if (this.#running.delete(running)) this.ended.push(`${running.child.name}: ${status}`)
  }

  #spawn(version: VersionName, own: Readonly<Record<string, string>> = {}): Running {
    const { ports, env, folder, previousRoot = '' } = this.#options
    const used = new Set([...this.#running].map(({ port }) => port))
    const port = ports.find((each) => !used.has(each)) ?? 0
    this.#started += 1
    const child = startChild(SERVER_PROCESS, {
      name: `${version}-${this.#started}`,
      folder,
      settings: {
        root: version === 'old' ? previousRoot : root,
        env: {
          ...env,
          ...(version === 'new' && { POSTHORN_MIGRATE: 'check' }),
          ...own,
          PORT: String(port),
        },
      },
    })
    return { version, port, child }
  }

  /** `kill -9` of one of them. */
  async kill(version: VersionName): Promise<void> {
    const running = [...this.#running].find((each) => each.version === version)
    if (!running) throw new Error(`no process of the ${version} version runs`)
    this.#running.delete(running)
    await running.child.kill()
  }

  /** What one of the version before says that is started now; nothing else is expected of it. */
  async refusal(): Promise<string> {
    const { child } = this.#spawn('old')
    await child.ready
    const isUp = await Promise.race([child.ended.then(() => false), sleep(2_000, true)])
    await child.stop()
    if (isUp) return 'starts'
    const log = await readFile(join(this.#options.folder, `${child.name}.log`), 'utf8')
    return /MIGRATION_[A-Z]+/.exec(log)?.[0] ?? 'ends for another reason'
  }

  async readiness(version: VersionName): Promise<string> {
    const running = [...this.#running].find((each) => each.version === version)
    const response = await fetch(`http://127.0.0.1:${running?.port}/readyz`)
    return String(response.status)
  }

  async stop(version?: VersionName): Promise<void> {
    const leaving = [...this.#running].filter(
      (each) => version === undefined || each.version === version,
    )
    for (const each of leaving) this.#running.delete(each)
    await Promise.all(leaving.map(({ child }) => child.stop()))
  }
}
