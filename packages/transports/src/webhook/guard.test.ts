import { Agent } from 'undici'
import { afterAll, expect, test } from 'vitest'
import { isAllowedAddress, parseCidrs } from './address.ts'
import { exchange } from './exchange.ts'
import { createGuard, type Guard } from './guard.ts'
import { createResolver } from './resolver.ts'
import { openNameServer } from '../testing/name-server.ts'
import { MODES, openReceiver } from '../testing/webhook-receiver.ts'

/*
 * Addresses that a webhook must never reach, in the forms that get past filters elsewhere. Printed by
 * `node packages/transports/src/testing/address-corpus.ts`; `guard.test.ts` tries every one of them.
 */

/** Hosts that lead to this machine, to a private network or to a cloud's metadata, in all spellings. */
const HOSTS: readonly string[] = [
  ...['127.0.0.1', '127.0.0.1.', '127.1', '127.0.1', '127.1.2.3', '127.255.255.254'],
  ...['2130706433', '0x7f000001', '0x7f.0.0.1', '0x7F.1', '017700000001', '0177.0.0.1', '0177.1'],
  ...[
    '00000177.0.0.1',
    '127.0.0.0x1',
    '0x7f.0x0.0x0.0x1',
    '127.0x000001',
    '１２７.０.０.１',
    '①②⑦.0.0.1',
  ],
  ...['127。0。0。1', '%31%32%37.0.0.1', '0', '0.0.0.0', '0x0', '00.0', '0.1.2.3'],
  ...['10.0.0.1', '10.255.255.255', '167772161', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  ...['169.254.169.254', '0xa9fea9fe', '2852039166', '0251.0376.0251.0376', '169.254.170.2'],
  ...['100.64.0.1', '100.100.100.200', '192.0.0.192', '192.0.2.1', '198.18.0.1', '198.51.100.7'],
  ...['168.63.129.16', '[::ffff:168.63.129.16]', '0xa83f8110'],
  ...['203.0.113.9', '192.88.99.1', '224.0.0.1', '239.1.2.3', '240.0.0.1', '255.255.255.255'],
  ...['[::]', '[::1]', '[0:0:0:0:0:0:0:1]', '[::0001]', '[::127.0.0.1]', '[::7f00:1]'],
  ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::ffff:0:127.0.0.1]', '[::ffff:10.0.0.1]'],
  ...['[::ffff:169.254.169.254]', '[::ffff:a9fe:a9fe]', '[0:0:0:0:0:ffff:7f00:0001]'],
  ...['[64:ff9b::127.0.0.1]', '[64:ff9b::7f00:1]', '[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::7f00:1]'],
  ...['[2002:7f00:1::]', '[2002:7f00:0001::1]', '[2002:a9fe:a9fe::]', '[2002:0a00:0001::]'],
  ...['[2001::1]', '[2001:0:7f00:1::]', '[2001:0:4136:e378:8000:63bf:80ff:fffe]'],
  ...['[fc00::1]', '[fd00::1]', '[fd00:ec2::254]', '[fdff:ffff::1]', '[fe80::1]', '[febf::1]'],
  ...['[fec0::1]', '[ff02::1]', '[ff05::2]', '[2001:db8::1]', '[3fff::1]', '[100::1]', '[5f00::1]'],
  ...['[::ffff:0x7f.1]', '[::ffff:192.168.1.1]', '[64:ff9b::10.0.0.1]', '[2002:c0a8:0101::1]'],
  ...['0x7f.0x1', '0300.0250.1.1', '3232235777', '0xC0A80101', '192.168.257'],
  ...['[2001:2::1]', '[2001:10::1]', '[2001:20::1]', '[4000::1]', '[1::1]'],
]

/** Names, and where a hostile name server says that they lead. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  localhost: ['127.0.0.1', '::1'],
  'localhost.': ['127.0.0.1'],
  'localtest.me': ['127.0.0.1'],
  'metadata.google.internal': ['169.254.169.254'],
  'metadata.google.internal.': ['169.254.169.254'],
  'metadata.azure.internal': ['168.63.129.16'],
  'instance-data': ['169.254.169.254'],
  'kubernetes.default.svc': ['10.96.0.1'],
  'host.docker.internal': ['192.168.65.2'],
  'ip6-localhost': ['::1'],
  '127.0.0.1.nip.io': ['127.0.0.1'],
  'ecs.example': ['169.254.170.2'],
  'carrier.example': ['100.64.0.1'],
  'sixtofour.example': ['2002:7f00:1::'],
  'teredo.example': ['2001:0:7f00:1::'],
  'unique-local.example': ['fd00:ec2::254'],
  'unspecified.example': ['0.0.0.0', '::'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'nat64.example': ['64:ff9b::7f00:1'],
  // A public address in front does not help.
  'mixed.example': ['93.184.216.34', '127.0.0.1'],
  'six.example': ['::1'],
  'nowhere.example': [],
  'rubbish.example': ['not an address'],
}

/** Ports where something answers that is no web server; none opens an address. */
const PORTS: readonly number[] = [0, 1, 22, 25, 2375, 5432, 6379, 9200, 11_211, 65_535]

/** Whole URLs, and what is said against them. */
const URLS: readonly (readonly [url: string, reason: string])[] = [
  ['http://user:pass@example.com/', 'user or a password'],
  ['http://user@example.com/', 'user or a password'],
  ['http://example.com@127.0.0.1/', 'user or a password'],
  ['http://127.0.0.1:80@example.com/', 'user or a password'],
  ['http://example.com%40127.0.0.1/', 'not a URL'],
  ['https://127.0.0.1\\@example.com/', 'may not go to'],
  ['ftp://example.com/', 'must begin with'],
  ['file:///etc/passwd', 'must begin with'],
  ['gopher://127.0.0.1:11211/', 'must begin with'],
  ['javascript:alert(1)', 'must begin with'],
  ['//example.com/', 'not a URL'],
  ['', 'not a URL'],
  ['http://', 'not a URL'],
  ['http://exa mple.com/', 'not a URL'],
  ['http://[::1%25lo]/', 'not a URL'],
  ['http://[fe80::1%eth0]/', 'not a URL'],
  [`https://example.com/${'a'.repeat(3_000)}`, 'longer than'],
]

/** One line for each form. */
function describeCorpus(): string[] {
  const names = Object.entries(NAMES)
  return [
    ...HOSTS.map((host) => `address  http://${host}/`),
    ...PORTS.map((port) => `port     http://127.0.0.1:${port}/`),
    ...names.map(([name, leads]) => `name     http://${name}/ → ${leads.join(', ') || 'nothing'}`),
    ...URLS.map(([url]) => `URL      ${url.slice(0, 80)}`),
    'redirect from an allowed address to another: not followed',
    'rebind   an allowed address at the first look, 127.0.0.1 at the next',
  ]
}

if (import.meta.main) process.stdout.write(`${describeCorpus().join('\n')}\n`)

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
