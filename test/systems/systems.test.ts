import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { testDatabase } from '@posthorn/engine/testing'
import type { App } from '@posthorn/http'
import type { RouteOptions } from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { loadSystems } from '@posthorn/server'
import { greetings, testServer, welcome } from '@posthorn/server/testing'

test('a server has the systems that are shipped, and leaves the schema of another alone', async () => {
  const database = await testDatabase()
  const older = await testServer(database, { systems: [greetings] })
  await older.call('/api/v1/greetings', { body: { name: 'ada' } })
  await older.close()

  const routes = collectRoutes()
  const systems = await loadSystems({})
  expect(systems.map(({ name }) => name)).not.toContain(greetings.name)
  const server = await testServer(database, { systems })
  expect((await server.call('/api/v1/greetings/ada')).status).toBe(404)
  const { rows } = await database.pool.query('select name from example.greeting')
  expect(rows).toEqual([{ name: 'ada' }])

  // What a new server says to try can be done.
  const configuration = { roles: new Set(['api'] as const), production: false }
  const said = welcome({ configuration, server, token: undefined })
  const request = /-d '(\{.*\})'/.exec(said)?.[1]
  expect(request !== undefined).toBe(server.firstRequest !== undefined)
  if (request !== undefined) {
    expect(welcome({ configuration, server, token: 'a.b.c' })).toContain(
      `npx posthorn demo --url ${server.url} --token a.b.c\n`,
    )
    const path = server.firstRequest?.path ?? ''
    const made = await server.call(path, { body: JSON.parse(request) as unknown })
    expect(made.status).toBe(202)
    const { body } = await server.call(path)
    expect(body['items']).toMatchObject([{ id: made.body['id'] }])
  }

  expect(routes.length).toBeGreaterThan(50)
  for (const route of routes) expectToCompile(route)
})

/** The routes of the apps that are made from now on in this test. */
function collectRoutes() {
  const routes: { app: App; route: RouteOptions }[] = []
  const collect = (message: unknown) => {
    const { fastify: app } = message as { fastify: App }
    app.addHook('onRoute', (route) => void routes.push({ app, route }))
  }
  subscribe('fastify.initialization', collect)
  onTestFinished(() => void unsubscribe('fastify.initialization', collect))
  return routes
}

/** What a compiled schema says of a value that does not fit it. */
const NO_VALUE = /is required!$|cannot be converted|does not match schema definition/

/** Schemas are compiled when they are first used: that each of them can be is seen here. */
function expectToCompile({ app, route }: ReturnType<typeof collectRoutes>[number]): void {
  const { url, schema = {} } = route
  const method = String(route.method)
  for (const httpPart of ['body', 'querystring', 'params', 'headers'] as const) {
    const part: unknown = schema[httpPart]
    if (part === undefined) continue
    const validate = app.validatorCompiler?.({ schema: part, method, url, httpPart })
    expect(() => validate?.({}), `${httpPart} of ${url}`).not.toThrow()
  }
  for (const [httpStatus, answer] of Object.entries(schema.response ?? {})) {
    const { content } = answer as { content?: Record<string, { schema: object }> }
    const answers = content ? Object.values(content).map((each) => each.schema) : [answer]
    for (const each of answers) {
      const write = app.serializerCompiler?.({ schema: each, method, url, httpStatus })
      expect(
        refusalOf(() => write?.({})),
        `${httpStatus} of ${url}`,
      ).toMatch(NO_VALUE)
    }
  }
}

function refusalOf(write: () => unknown): string {
  try {
    write()
    return 'nothing is required!'
  } catch (error) {
    return String(error)
  }
}
