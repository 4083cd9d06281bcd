import {
  configuredSystems,
  worldCalls,
  type Dashboard,
  type ShownView,
  type SystemWorld,
  type World,
} from './harness/index.ts'

async function worlds(): Promise<readonly SystemWorld[]> {
  const webs = (await configuredSystems()).flatMap(({ web }) => (web === undefined ? [] : [web]))
  return Promise.all(
    webs.map(async (web) => {
      const file = (await import(new URL('world.ts', web).href)) as { world: SystemWorld }
      return file.world
    }),
  )
}

/** The views of the configured systems. */
export async function systemViews(): Promise<readonly ShownView[]> {
  return (await worlds()).flatMap(({ views }) => views)
}

/** The settings that a server needs for all of them. */
export async function systemSettings(): Promise<NodeJS.ProcessEnv> {
  return Object.assign({}, ...(await worlds()).map(({ env = {} }) => env)) as NodeJS.ProcessEnv
}

/** Something on every page of the configured systems. */
export async function fillSystems(dashboard: Dashboard): Promise<World> {
  const calls = worldCalls(dashboard)
  const filled = await Promise.all((await worlds()).map(({ fill }) => fill(calls)))
  return Object.assign({}, ...filled) as World
}
