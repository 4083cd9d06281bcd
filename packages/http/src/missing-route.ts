import type { FastifyInstance, FastifyRequest } from 'fastify'
import { problem } from './problem.ts'

/** Tells an address that does not exist from one that has no such method. */
export function addMissingRoute(app: FastifyInstance): (request: FastifyRequest) => Error {
  const routes = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>()
  app.addHook('onRoute', ({ url, method }) => {
    // A page for every address says nothing about which addresses there are.
    if (/^\/?\*$/.test(url)) return
    const route = routes.get(url) ?? { pattern: patternOf(url), methods: new Set() }
    for (const one of [method].flat()) route.methods.add(one)
    routes.set(url, route)
  })
  return (request) => {
    const [path = ''] = request.url.split('?')
    const here = [...routes.values()].filter(({ pattern }) => pattern.test(path))
    const methods = new Set(here.flatMap((route) => [...route.methods]))
    if (methods.size === 0) return problem('NOT_FOUND', { detail: 'Unknown path.' })
    const allow = [...methods].toSorted().join(', ')
    return problem('METHOD_NOT_ALLOWED', {
      detail: `Allowed: ${allow}.`,
      headers: { allow },
    })
  }
}

function patternOf(url: string): RegExp {
  const source = url
    .replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll(/:\w+/g, '[^/]+')
    .replaceAll('*', '.*')
  return new RegExp(`^${source}$`)
}
