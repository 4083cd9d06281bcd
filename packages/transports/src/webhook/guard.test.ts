import { Agent } from 'undici'
import { afterAll, expect, test } from 'vitest'
import { isAllowedAddress, parseCidrs } from './address.ts'
import { exchange } from './exchange.ts'
import { createGuard, type Guard } from './guard.ts'
import { createResolver } from './resolver.ts'
import { HOSTS, NAMES, PORTS, URLS } from '../testing/address-corpus.ts'
import { openNameServer } from '../testing/name-server.ts'
import { MODES, openReceiver } from '../testing/webhook-receiver.ts'

const receiver = await openReceiver(MODES.ok)
const receiver6 = await openReceiver(MODES.ok, '::1')
const P = receiver.port

const resolve = async (hostname: string) =>
  (NAMES[hostname] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

const guard = createGuard({ resolve })
const agents: Agent[] = []
afterAll(() => Promise.all(agents.map((agent) => agent.destroy())))

function agentOf({ connector }: Guard): Agent {
  const agent = new Agent({ connect: connector })
  agents.push(agent)
  return agent
}

const guarded = agentOf(guard)

const post = (url: string, agent = guarded) =>
  exchange(agent, {
    url,
    headers: {},
    body: '{}',
    timeoutMs: 2_000,
    signal: new AbortController().signal,
  })

test('the corpus is large enough', () => {
  expect(HOSTS.length + Object.keys(NAMES).length).toBeGreaterThanOrEqual(120)
})

test.each(HOSTS)('%s is refused, and nothing connects to it', async (host) => {
  for (const url of [`http://${host}:${P}/`, `https://${host}/`]) {
    expect(guard.refusal(url), url).toBeDefined()
    if (!URL.canParse(url)) continue
    // The connection by itself, as if the URL had never been looked at.
    expect((await post(url)).error?.class, url).toBe('blocked')
  }
  expect([receiver.connections(), receiver6.connections()]).toEqual([0, 0])
})

test('no port opens an address', async () => {
  for (const port of PORTS) {
    const url = `http://127.0.0.1:${port}/`
    expect(guard.refusal(url), url).toBeDefined()
    // Some ports no client of HTTP connects to.
    expect((await post(url)).response, url).toBeUndefined()
  }
})

test.each(Object.keys(NAMES))('the name %s leads nowhere', async (name) => {
  const url = `http://${name}:${P}/`
  expect(guard.refusal(url)).toBeUndefined()
  expect((await post(url)).error?.class).toBe(name === 'nowhere.example' ? 'dns' : 'blocked')
  const isKnown = (NAMES[name] ?? []).length > 0
  expect((await guard.refusalNow(url)) !== undefined).toBe(isKnown)
  expect([receiver.connections(), receiver6.connections()]).toEqual([0, 0])
})

test('a name that leads elsewhere at the next look is caught at the connection', async () => {
  let looks = 0
  const rebinding = createGuard({
    resolve: async () => {
      looks += 1
      return [{ address: looks === 1 ? '93.184.216.34' : '127.0.0.1', family: 4 }]
    },
  })
  const url = `http://rebind.example:${P}/`
  expect(await rebinding.refusalNow(url)).toBeUndefined()
  const { error } = await post(url, agentOf(rebinding))
  expect(error?.class).toBe('blocked')
  expect(receiver.connections()).toBe(0)
})

test('rebinding by a name server: what was checked once is checked at every connection', async () => {
  const elsewhere = await openReceiver(MODES.ok, '127.0.0.2')
  let target = '127.0.0.2'
  const server = await openNameServer((_, family) => (family === 4 ? [target] : []), 0)
  // Of the loopback, one address stands for the public ones.
  const opened = parseCidrs('127.0.0.2/32')
  const options = { servers: [server.address], hostsFile: '/dev/null', search: [] }
  const rebound = createGuard({ opened, resolve: createResolver(options) })
  const url = `http://rebind.example:${elsewhere.port}/`
  expect(await rebound.refusalNow(url)).toBeUndefined()
  expect((await post(url, agentOf(rebound))).response?.status).toBe(200)
  target = '127.0.0.1'
  const attack = `http://rebind.example:${P}/`
  // Until the answer of before has run out.
  const classOf = async () => (await post(attack, agentOf(rebound))).error?.class
  await expect.poll(classOf, { timeout: 15_000, interval: 100 }).toBe('blocked')
  expect(await rebound.refusalNow(attack)).toContain('may not go to')
  expect(receiver.connections()).toBe(0)
})

test.each(URLS)('%s is refused', (url, reason) => {
  expect(guard.refusal(url)).toContain(reason)
})

test('https alone, where that is wanted', () => {
  const strict = createGuard({ httpsOnly: true, resolve })
  expect(strict.refusal('http://example.com/')).toContain('https://')
  expect(strict.refusal('https://example.com/')).toBeUndefined()
})

test('public addresses are let through', () => {
  for (const address of ['8.8.8.8', '93.184.216.34', '2606:4700:4700::1111', '::ffff:8.8.8.8']) {
    expect(isAllowedAddress(address), address).toBe(true)
  }
  for (const rubbish of ['', 'example.com', '1.2.3', '::1%lo', '999.1.1.1']) {
    expect(isAllowedAddress(rubbish), rubbish).toBe(false)
  }
})

test('opened networks are let through, and no others', async () => {
  const opened = createGuard({ opened: parseCidrs('127.0.0.0/8, fd00:1::/32'), resolve })
  expect(opened.refusal(`http://127.0.0.1:${P}/`)).toBeUndefined()
  expect(opened.refusal(`http://[::ffff:127.0.0.1]:${P}/`)).toBeUndefined()
  expect(opened.refusal('http://[fd00:1::5]/')).toBeUndefined()
  for (const url of ['http://10.0.0.1/', 'http://[::1]/', 'http://[fd00:2::5]/']) {
    expect(opened.refusal(url), url).toBeDefined()
  }
  expect(() => parseCidrs('10.0.0.0')).toThrow('not a network')
  expect(parseCidrs(' ')).toEqual([])
  const { response } = await post(`http://127.0.0.1:${P}/`, agentOf(opened))
  expect(response?.status).toBe(200)
})

test('a name that resolves too late is over in time, and nothing is sent any more', async () => {
  const found = Promise.withResolvers<{ address: string; family: number }[]>()
  const opened = parseCidrs('127.0.0.0/8')
  const waiting = agentOf(createGuard({ opened, resolve: () => found.promise }))
  const request = { headers: {}, body: '{}', signal: new AbortController().signal }
  const send = (path: string, timeoutMs: number) =>
    exchange(waiting, { ...request, url: `http://slow.example:${P}${path}`, timeoutMs })
  const { error, response } = await send('/too-late', 100)
  expect(error?.class).toBe('timeout')
  expect(response).toBeUndefined()
  found.resolve([{ address: '127.0.0.1', family: 4 }])
  expect((await send('/in-time', 5_000)).response?.status).toBe(200)
  const paths = receiver.seen.map(({ path }) => path)
  expect(paths).toContain('/in-time')
  expect(paths).not.toContain('/too-late')
})
