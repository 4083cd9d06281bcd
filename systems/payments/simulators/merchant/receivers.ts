const PATH = '/sim/merchant/hooks'
const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]', '0.0.0.0', '[::]'])

/** Whether a URL is the simulated merchant of the server at `base`, however its host is written. */
function isSimulated(url: URL, base: string): boolean {
  const { protocol, port, hostname, pathname } = url
  // Asked of every webhook: the path alone answers nearly always.
  if (pathname !== PATH && !pathname.startsWith(`${PATH}/`)) return false
  const server = new URL(base)
  const isHere =
    hostname === server.hostname || (LOOPBACK.has(hostname) && LOOPBACK.has(server.hostname))
  return isHere && protocol === server.protocol && port === server.port
}

/** Introductions remembered; one that is forgotten is made again. */
const MOST = 10_000

/** The simulated merchant as a receiver of webhooks that the server itself plays. */
export function simulatedReceivers(baseUrl: () => string) {
  const includes = (url: URL) => isSimulated(url, baseUrl())
  return { includes, introduce: introductionTo(includes, baseUrl) }
}

/**
 * Tells the simulated merchant the secrets of its endpoints, as a person would type them into a real
 * one's settings. A merchant that is away verifies nothing; that is all.
 */
function introductionTo(includes: (url: URL) => boolean, baseUrl: () => string) {
  const known = new Set<string>()
  return async (url: string, secrets: readonly string[]): Promise<void> => {
    if (!includes(new URL(url))) return
    const fresh = secrets.filter((secret) => !known.has(secret))
    if (fresh.length === 0) return
    if (known.size > MOST) known.clear()
    try {
      const response = await fetch(`${baseUrl()}/sim/merchant/secrets`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ secrets: fresh }),
        signal: AbortSignal.timeout(2_000),
      })
      await response.body?.cancel()
      if (response.ok) for (const secret of fresh) known.add(secret)
    } catch {
      // Not up yet: it gets the secrets at the next delivery.
    }
  }
}
