import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import { problem, type ProblemError } from '../problem/problem.ts'

interface Methods {
  /** For a request without a route: the address is unknown, or does not have the method. */
  problemOf(request: FastifyRequest): ProblemError
  /**
   * Refuses a method that an address of its own does not have, where the router found one with a
   * parameter for it: `GET /things/search` is not the thing named "search" if `POST /things/search`
   * exists.
   */
  readonly refuseOthers: onRequestHookHandler
}

/** Knows which addresses there are, and which methods each has; called before the first route. */
export function watchMethods(app: FastifyInstance): Methods {
  const routes = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>()
  app.addHook('onRoute', ({ url, method }) => {
    // A page for every address says nothing about which addresses there are.
    if (/^\/?\*$/.test(url)) return
    const route = routes.get(url) ?? { pattern: patternOf(url), methods: new Set() }
    for (const one of [method].flat()) route.methods.add(one)
    routes.set(url, route)
  })
  return {
    problemOf(request) {
      const path = pathOf(request)
      const here = [...routes.values()].filter(({ pattern }) => pattern.test(path))
      const methods = new Set(here.flatMap((route) => [...route.methods]))
      // A route that has the method answered so itself: there is nothing of that name.
      return methods.size === 0 || methods.has(request.method)
        ? problem('NOT_FOUND', { detail: 'Unknown path.' })
        : notAllowed(methods)
    },
    refuseOthers(request, _reply, done) {
      const { url } = request.routeOptions.config
      if (!url?.includes(':')) return done()
      const own = routes.get(pathOf(request))
      done(own && !own.methods.has(request.method) ? notAllowed(own.methods) : undefined)
    },
  }
}

function notAllowed(methods: ReadonlySet<string>): ProblemError {
  const allow = [...methods].toSorted().join(', ')
  return problem('METHOD_NOT_ALLOWED', { detail: `Allowed: ${allow}.`, headers: { allow } })
}

function pathOf({ url }: FastifyRequest): string {
  return url.split('?', 1)[0] ?? ''
}

function patternOf(url: string): RegExp {
  const source = url
    .replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll(/:\w+/g, '[^/]+')
    .replaceAll('*', '.*')
  return new RegExp(`^${source}$`)
}
