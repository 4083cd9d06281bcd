import { promises as dns, type LookupAddress } from 'node:dns'

/** All addresses of a name; rejects if it has none. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>

/** What a name server says when it knows that there is nothing. */
const NOTHING = new Set(['ENOTFOUND', 'ENODATA'])

/**
 * Resolves by DNS itself, with a time limit and without one of the few threads that
 * `getaddrinfo` needs: a customer's slow name server must not hold up all others. What DNS does not
 * know may stand in the hosts file.
 */
export function systemResolve(): Resolve {
  const resolver = new dns.Resolver({ timeout: 2_000, tries: 2 })
  return async (hostname) => {
    const answers = await Promise.allSettled([
      resolver.resolve4(hostname).then((found) => found.map(withFamily(4))),
      resolver.resolve6(hostname).then((found) => found.map(withFamily(6))),
    ])
    const found = answers.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
    if (found.length > 0) return found
    const errors = answers.flatMap((each) =>
      each.status === 'rejected' ? [each.reason as NodeJS.ErrnoException] : [],
    )
    const trouble = errors.find(({ code }) => !NOTHING.has(code ?? ''))
    // A name without a dot is no customer's: it is the hosts file's or the local network's.
    if (trouble && hostname.includes('.')) throw trouble
    return dns.lookup(hostname, { all: true })
  }
}

function withFamily(family: 4 | 6) {
  return (address: string): LookupAddress => ({ address, family })
}
