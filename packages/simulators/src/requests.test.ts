import { createHash, createHmac, randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { defineSimulator } from './simulator.ts'
import { echo } from './testing/echo.ts'
import { serve } from './testing/test-server.ts'

const hash = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')

describe('requests', () => {
  test('are listed newest first, with all there is to know', async () => {
    const server = await serve({ simulators: [echo()] })
    await server.post(
      '/sim/echo/say?a=1&b=%3F?',
      { n: 1 },
      {
        headers: { 'content-type': 'application/json', authorization: 'Bearer secret' },
      },
    )
    await server.post('/sim/echo/say', { n: 2 })
    const items = await server.requests()
    expect(items.map(({ body }) => body)).toEqual([{ n: 2 }, { n: 1 }])
    expect(items[1]).toEqual({
      id: expect.any(Number),
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      method: 'POST',
      path: '/sim/echo/say',
      query: 'a=1&b=%3F?',
      headers: expect.objectContaining({
        authorization: 'Bearer [redacted]',
        'content-type': 'application/json',
      }),
      body: { n: 1 },
      outcome: 'ok',
      status: 201,
      fault: null,
      verified: false,
    })
  })

  test('come by an address, as localhost or by the server’s name, not by a page’s', async () => {
    const server = await serve({ simulators: [echo()], hostname: 'posthorn.example' })
    const statusFor = async (host: string) => {
      const answer = await server.app.inject({ url: '/sim/echo/requests', headers: { host } })
      return answer.statusCode
    }
    for (const host of ['127.0.0.1:4600', '[::1]:4600', 'LOCALHOST:4600', 'posthorn.example']) {
      expect(await statusFor(host), host).toBe(200)
    }
    for (const host of ['rebound.example:4600', 'localhost.evil.example', '127.0.0.1.nip.io']) {
      expect(await statusFor(host), host).toBe(403)
    }
  })

  test('have their raw bytes, for signatures', async () => {
    const server = await serve({ simulators: [echo()] })
    const body = '{ "n" :\t1.0 }'
    const signature = createHmac('sha256', 'key').update(body).digest('hex')
    const headers = { 'content-type': 'application/json', 'x-signature': signature }
    await fetch(`${server.url}/sim/echo/say`, { method: 'POST', headers, body })
    expect((await server.requests())[0]).toMatchObject({ verified: true, body: { n: 1 } })
  })

  test('are the last 10,000, and can be read in pages', async () => {
    const server = await serve({ simulators: [echo()] })
    for (let done = 0; done < 10_001; done += 73) {
      await Promise.all(
        Array.from({ length: 73 }, (_, i) => done + i)
          .filter((n) => n < 10_001)
          .map((n) => server.app.inject({ method: 'POST', url: '/sim/echo/say', payload: { n } })),
      )
    }
    const items = await server.requests()
    expect(items).toHaveLength(10_000)
    const numbers = items.map(({ body }) => (body as { n: number }).n)
    expect(numbers).not.toContain(0)
    expect(new Set(numbers).size).toBe(10_000)
    const page = await server.requests('echo', '?limit=3')
    expect(page).toEqual(items.slice(0, 3))
    expect(await server.requests('echo', `?limit=3&before=${page[2]!.id}`)).toEqual(
      items.slice(3, 6),
    )
  })

  test.each(['?limit=0', '?limit=10001', '?limit=x', '?before=-1', '?outcome=odd', '?x=1'])(
    'refuse %s',
    async (query) => {
      const server = await serve({ simulators: [echo()] })
      expect((await server.get(`/sim/echo/requests${query}`)).status).toBe(400)
    },
  )

  test('are forgotten with the state, also what was to happen later', async () => {
    const server = await serve({ simulators: [echo()] })
    const readSaid = async () => (await server.get<{ said: unknown }>('/sim/echo/said')).body.said
    await server.post('/sim/echo/say', 1)
    await server.post('/sim/echo/later', 2)
    await expect.poll(readSaid).toEqual([1, 2])
    await server.post('/sim/echo/later', 3)
    const response = await fetch(`${server.url}/sim/echo`, { method: 'DELETE' })
    expect(response.status).toBe(204)
    expect(await server.requests()).toEqual([])
    await new Promise((resolve) => setTimeout(resolve, 120))
    expect(await readSaid()).toEqual([])
  })

  test('may fail later without harm', async () => {
    const server = await serve({ simulators: [echo()] })
    await server.post('/sim/echo/later-never', 1)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect((await server.post('/sim/echo/say', 1)).status).toBe(201)
  })
})

describe('bodies', () => {
  test('of 5 MB are taken whole and kept in part', async () => {
    const server = await serve({ simulators: [echo()] })
    const body = { text: 'x'.repeat(5 * 1024 * 1024) }
    const text = JSON.stringify(body)
    const answer = await server.post('/sim/echo/say', body)
    expect(JSON.stringify(answer.body)).toHaveLength(text.length + 9)
    const [item] = await server.requests()
    expect(item?.body).toMatchObject({ cut: true, size: text.length, sha256: hash(text) })
    expect(JSON.stringify(item).length).toBeLessThan(20_000)
  })

  test('that are malformed are recorded and refused', async () => {
    const server = await serve({ simulators: [echo()] })
    const init = { body: '{"a":', headers: { 'content-type': 'application/json' } }
    expect((await server.post('/sim/echo/say', null, init)).status).toBe(400)
    const form = { body: 'nothing', headers: { 'content-type': 'multipart/form-data; boundary=x' } }
    expect((await server.post('/sim/echo/say', null, form)).status).toBe(400)
    const large = 'x'.repeat(100_000)
    const long = { ...form, body: large }
    expect((await server.post('/sim/echo/say', null, long)).status).toBe(400)
    expect(await server.requests()).toMatchObject([
      { body: { cut: true, size: 100_000, sha256: hash(large) }, outcome: 'error', status: 400 },
      { body: 'nothing', outcome: 'error', status: 400 },
      { body: '{"a":', outcome: 'error', status: 400 },
    ])
  })

  test('that are too large are recorded without them', async () => {
    const server = await serve({ simulators: [echo()] })
    expect((await server.post('/sim/echo/strict', { a: 'x'.repeat(2_000) })).status).toBe(413)
    const form = new FormData()
    form.append('files', new File(['x'.repeat(2_000)], 'a.pdf'))
    const upload = await fetch(`${server.url}/sim/echo/strict`, { method: 'POST', body: form })
    expect(upload.status).toBe(413)
    expect(await server.requests()).toMatchObject([
      { body: null, outcome: 'error', status: 413 },
      { body: null, outcome: 'error', status: 413 },
    ])
  })

  test('with files show their names, sizes and hashes', async () => {
    const server = await serve({ simulators: [echo()] })
    const bytes = randomBytes(300_000)
    const form = new FormData()
    form.append('case_id', 'C-7')
    form.append('files', new File([bytes], 'scan.pdf'))
    const response = await fetch(`${server.url}/sim/echo/say`, { method: 'POST', body: form })
    expect(response.status).toBe(201)
    expect((await server.requests())[0]?.body).toEqual({
      fields: { case_id: 'C-7' },
      files: [{ name: 'scan.pdf', size: 300_000, sha256: hash(bytes) }],
    })
  })

  test('with no content type are bytes, and with none at all nothing', async () => {
    const server = await serve({ simulators: [echo()] })
    await fetch(`${server.url}/sim/echo/say`, { method: 'POST', body: new Uint8Array([255, 1]) })
    await fetch(`${server.url}/sim/echo/say`, { method: 'POST' })
    expect((await server.requests()).map(({ body }) => body)).toEqual([
      null,
      { base64: '/wE=', size: 2, sha256: hash(Buffer.from([255, 1])) },
    ])
  })
})

describe('clients', () => {
  /** Sends the beginning of a request, and leaves when it is seen. */
  async function leaveAfter(start: string) {
    const server = await serve({ simulators: [echo()] })
    const outcome = async () => (await server.requests())[0]?.outcome
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    socket.write(start)
    await expect.poll(outcome).toBe('pending')
    socket.destroy()
    await expect.poll(outcome).toBe('aborted')
    return server
  }

  test('that leave before the answer have aborted', async () => {
    const server = await leaveAfter('POST /sim/echo/work HTTP/1.1\r\nhost: localhost\r\n\r\n')
    expect((await server.get<{ said: unknown[] }>('/sim/echo/said')).body.said).toHaveLength(1)
  })

  test('that leave before late work have aborted when it is done', async () => {
    const server = await serve({ simulators: [echo()] })
    await server.post('/sim/echo/faults', { mode: 'slow', delayMs: 400, times: 1 })
    const said = async () => (await server.get<{ said: unknown[] }>('/sim/echo/said')).body.said
    const leaving = AbortSignal.timeout(100)
    await expect(server.post('/sim/echo/say', { n: 1 }, { signal: leaving })).rejects.toThrow(
      'abort',
    )
    expect([(await server.requests())[0]?.outcome, await said()]).toEqual(['pending', []])
    await expect.poll(said).toEqual([{ n: 1 }])
    // Who reads along what has ended has seen all of it.
    expect((await server.requests())[0]).toMatchObject({ outcome: 'aborted', verified: false })
  })

  test('that leave in the middle of their request have too', async () => {
    const start =
      'POST /sim/echo/say HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{"a"'
    const server = await leaveAfter(start)
    expect((await server.get<{ said: unknown[] }>('/sim/echo/said')).body.said).toHaveLength(0)
  })
})

describe('the plugin', () => {
  test('says who is there and what they do', async () => {
    const server = await serve({ simulators: [echo(), echo('other')] })
    const { body } = await server.get<{ items: { name: string; routes: unknown[] }[] }>('/sim')
    expect(body.items.map(({ name }) => name)).toEqual(['echo', 'other', 'clock'])
    expect(body.items[0]).toMatchObject({
      about: 'Answers what it was sent.',
      address: '/sim/echo',
    })
    expect(body.items[0]?.routes).toContainEqual({
      method: 'POST',
      path: '/sim/echo/say',
      does: 'Say something',
    })
    expect(body.items[0]?.routes).toContainEqual({
      method: 'GET',
      path: '/sim/echo/requests',
      does: 'Requests that echo received, newest first',
    })
  })

  test('describes its controls, not the protocols', async () => {
    const server = await serve({ simulators: [echo()] })
    const { body } = await server.get<{ paths: object }>('/openapi.json')
    expect(Object.keys(body.paths)).toEqual(
      expect.arrayContaining(['/sim', '/sim/echo', '/sim/echo/faults', '/sim/clock/advance']),
    )
    expect(Object.keys(body.paths)).not.toContain('/sim/echo/say')
  })

  test('mounts nothing in production', async () => {
    const server = await serve({ simulators: [echo()], production: true })
    for (const path of ['/sim', '/sim/echo/requests', '/sim/clock', '/sim/echo']) {
      expect((await server.get(path)).status).toBe(404)
    }
    expect((await server.post('/sim/clock/advance', { by: '1h' })).status).toBe(404)
    expect((await server.post('/sim/echo/say', 1)).status).toBe(404)
    expect(server.app.simulatorAddresses).toEqual({})
  })

  test('does not know others', async () => {
    const server = await serve({ simulators: [echo()] })
    expect((await server.get('/sim/unknown/requests')).status).toBe(404)
  })

  test.each(['clock', 'Echo', '', 'a/b', '../x', 'x'.repeat(41)])(
    'refuses a simulator called %j',
    (name) => {
      expect(() => defineSimulator({ name, about: '', open: () => ({}) })).toThrow('name:')
    },
  )

  test('refuses two simulators of one name', async () => {
    await expect(serve({ simulators: [echo(), echo()] })).rejects.toMatchObject({
      code: 'DEFINITION_INVALID',
    })
  })
})
