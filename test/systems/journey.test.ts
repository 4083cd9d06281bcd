import { testDatabase } from '@posthorn/engine/testing'
import { loadSystems } from '@posthorn/server'
import { testServer } from '@posthorn/server/testing'
import { expect, test } from 'vitest'
import { contributionsTo } from './contributions.ts'

const journeys = await contributionsTo('journey')
const database = await testDatabase()
const systems = await loadSystems({})
const server = await testServer(database, { systems, env: { POSTHORN_ROLES: 'api' } })
const operator = await server.tokenFor({ org: 'acme', role: 'operator' })

const CASE = 'CASE-2001'

/** One business thing in every system, each linked to others by what they both name. */
async function write(org: string, reference: string) {
  const world = { org, case: CASE, reference }
  return Promise.all(
    journeys.map(async (journey) => {
      const things = await journey.write(database.pool, world)
      const names = [...Object.values(things), ...(journey.names?.(things) ?? [])]
      const links = journey.links.map((link) => world[link])
      return { ...journey, ids: Object.values(things), names, links }
    }),
  )
}

type Written = Awaited<ReturnType<typeof write>>

/** The systems to which a name leads: those that have it, and all that share a link with one of them. */
function ledBy(written: Written, name: string): Written {
  let group = written.filter(({ names, links }) => [...names, ...links].includes(name))
  for (;;) {
    const links = new Set(group.flatMap((each) => each.links))
    const next = written.filter((each) => each.links.some((link) => links.has(link)))
    if (next.length === group.length) return group
    group = next
  }
}

const acme = await write('acme', 'pay_77')
const rival = await write('rival', 'pay_88')

interface Answer {
  readonly isComplete: boolean
  readonly things: readonly {
    readonly kind: string
    readonly id: string
    readonly to: string
    readonly outbox: string | null
    readonly why: string | null
  }[]
  readonly timeline: readonly { readonly at: string; readonly what: string }[]
}

async function journeyOf(id: string, token = operator): Promise<Answer> {
  const path = `/api/v1/journey?id=${encodeURIComponent(id)}`
  const { status, body } = await server.call(path, { token })
  expect(status).toBe(200)
  return body as unknown as Answer
}

const namesOf = (written: Written) => written.flatMap(({ names }) => names)
const kindsOf = (written: Written) => written.flatMap(({ kinds }) => kinds).toSorted()
const idsOf = (written: Written) => written.flatMap(({ ids }) => ids)

test.each([...namesOf(acme), CASE, 'pay_77'])('%s leads to all that is linked', async (name) => {
  const led = ledBy(acme, name)
  const { things, isComplete, timeline } = await journeyOf(name)
  expect(things.map(({ kind }) => kind).toSorted()).toEqual(kindsOf(led))
  expect(things.filter((thing) => !idsOf(led).includes(thing.id))).toEqual([])
  expect(isComplete).toBe(true)
  expect(timeline.map(({ at }) => at)).toEqual(timeline.map(({ at }) => at).toSorted())
  expect(timeline.map(({ what }) => what)).toEqual(
    expect.arrayContaining(led.flatMap(({ says }) => says)),
  )
})

test('another organisation finds its own things under the same case, and nothing by foreign ids', async () => {
  const token = await server.tokenFor({ org: 'rival', role: 'operator' })
  for (const id of [...namesOf(acme), 'pay_77']) {
    expect(await journeyOf(id, token)).toEqual({ isComplete: true, things: [], timeline: [] })
  }
  const led = ledBy(rival, CASE)
  const { things } = await journeyOf(CASE, token)
  expect(things).toHaveLength(kindsOf(led).length)
  expect(things.filter(({ id }) => !idsOf(led).includes(id))).toEqual([])
})

test('who does not operate sees no messages of outboxes', async () => {
  const viewer = await server.tokenFor({ org: 'acme', role: 'viewer' })
  for (const name of namesOf(acme)) {
    const { things } = await journeyOf(name, viewer)
    expect(things.map(({ kind }) => kind)).not.toContain('message')
    expect(things.every(({ outbox }) => outbox === null)).toBe(true)
  }
  for (const { ids, outboxes = {} } of acme) {
    for (const [kind, outbox] of Object.entries(outboxes)) {
      const { things } = await journeyOf(ids[0] ?? '')
      const thing = things.find((each) => each.kind === kind)
      expect(thing).toMatchObject({ outbox, id: expect.toBeOneOf([...ids]) })
    }
  }
})

test('what is too short or unknown finds nothing', async () => {
  for (const id of ['1', 'no such thing']) expect((await journeyOf(id)).things).toEqual([])
})

test('what waits says why, to those who operate', async () => {
  const { things } = await journeyOf(CASE)
  const member = await journeyOf(CASE, await server.tokenFor({ org: 'acme', role: 'member' }))
  const { rows } = await database.pool.query<{ id: string }>(
    `select id::text as id from evidence.file_outbox_row where case_id = $1 and status = 'PENDING' and org_id = 'acme'`,
    [CASE],
  )
  expect(rows.length).toBeGreaterThan(0)
  for (const { id } of rows) {
    const why = things.find((thing) => thing.id === id)?.why
    expect(why).toContain('No relay was heard of in the last 15 seconds.')
  }
  expect(member.things.filter(({ why }) => why !== null)).toEqual([])
})
