import { testDatabase } from '@posthorn/engine/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { messages } from '../index.ts'
import { MESSAGES, sample, startApi, type Resource, type TestApi } from '../testing/api.ts'
import { fillTemplate, type TemplatePayload } from './fill.ts'
import { templateErrors, type Components, type TemplateRow } from './template.ts'

const database = await testDatabase({ migrations: [await messages.migrations()] })
const TEMPLATES = '/api/v1/outbound/templates'
const admin = { role: 'admin' } as const
let api: TestApi

beforeAll(async () => {
  api = await startApi(database)
})
afterAll(() => api.close())
beforeEach(async () => {
  await api.sim('DELETE', '/whatsapp')
  await database.pool.query(
    'begin; set local session_replication_role = replica; truncate messages.outbound_message, messages.template cascade; commit',
  )
})

const OTP: Components = [
  { type: 'BODY', add_security_recommendation: true },
  { type: 'BUTTONS', buttons: [{ type: 'OTP', text: 'Copy code' }] },
]
const SHIPPED: Components = [
  { type: 'HEADER', format: 'IMAGE' },
  { type: 'BODY', text: 'Hello {{name}}, your order {{order}} is on its way.' },
  { type: 'FOOTER', text: 'The shop' },
  {
    type: 'BUTTONS',
    buttons: [
      { type: 'QUICK_REPLY', text: 'Thanks' },
      { type: 'URL', text: 'Follow it', url: 'https://shop.example/{{1}}' },
      { type: 'COPY_CODE' },
    ],
  },
]
const PLAIN: Components = [
  { type: 'HEADER', format: 'TEXT', text: 'For {{1}}' },
  { type: 'BODY', text: 'On {{1}} at {{2}}, {{1}}.' },
]
const rowOf = (components: Components) => ({ components }) as TemplateRow

describe('a message', () => {
  test('of a one-time code has it in the body and in the button, as Meta demands', () => {
    expect(fillTemplate(rowOf(OTP), { parameters: ['4711'] })).toEqual({
      kind: 'filled',
      components: [
        { type: 'body', parameters: [{ type: 'text', text: '4711' }] },
        {
          ...{ type: 'button', sub_type: 'url', index: '0' },
          parameters: [{ type: 'text', text: '4711' }],
        },
      ],
    })
  })

  test('has its header, its names and its buttons where Meta looks for them', () => {
    const filled = fillTemplate(rowOf(SHIPPED), {
      header: { link: 'https://shop.example/a.png' },
      parameters: { order: '17', name: 'Ada' },
      buttons: ['17', 'SPRING'],
    })
    expect(filled).toEqual({
      kind: 'filled',
      components: [
        {
          type: 'header',
          parameters: [{ type: 'image', image: { link: 'https://shop.example/a.png' } }],
        },
        {
          type: 'body',
          parameters: [
            { type: 'text', parameter_name: 'name', text: 'Ada' },
            { type: 'text', parameter_name: 'order', text: '17' },
          ],
        },
        {
          ...{ type: 'button', sub_type: 'url', index: '1' },
          parameters: [{ type: 'text', text: '17' }],
        },
        {
          ...{ type: 'button', sub_type: 'copy_code', index: '2' },
          parameters: [{ type: 'coupon_code', coupon_code: 'SPRING' }],
        },
      ],
    })
  })

  test.each<[Components, TemplatePayload, string[]]>([
    [OTP, {}, ['parameters']],
    [OTP, { parameters: ['1', '2'] }, ['parameters']],
    [OTP, { parameters: ['1234567890123456'] }, ['parameters.0']],
    [OTP, { parameters: ['1'], buttons: ['1'] }, ['buttons']],
    [OTP, { parameters: ['1'], header: 'x' }, ['header']],
    [PLAIN, { header: 'Ada', parameters: ['Monday'] }, ['parameters']],
    [PLAIN, { parameters: ['Monday', '10:00'] }, ['header']],
    [PLAIN, { header: 'x'.repeat(57), parameters: ['Monday', '10:00'] }, ['header']],
    [PLAIN, { header: 'Ada', parameters: ['x'.repeat(510), '10:00'] }, ['parameters']],
    [PLAIN, { header: { link: 'https://a.b' }, parameters: ['Monday', '10'] }, ['header']],
    [PLAIN, { header: 'Ada', parameters: { day: 'Monday' } }, ['parameters']],
    [SHIPPED, {}, ['header', 'parameters', 'buttons']],
    [
      [{ type: 'BODY', text: 'To {{constructor}}' }],
      { parameters: {} },
      ['parameters.constructor'],
    ],
    [
      SHIPPED,
      { header: { id: '1', link: 'https://a.b' }, parameters: { nam: 'A', order: '1' } },
      ['header', 'parameters.nam', 'parameters.name', 'buttons'],
    ],
  ])('of %j with %j is wrong in %j', (components, payload, fields) => {
    const filled = fillTemplate(rowOf(components), payload)
    const errors = filled.kind === 'wrong' ? filled.errors : []
    expect(errors.map(({ field }) => field)).toEqual(fields.map((each) => `payloadJson.${each}`))
  })
})

test.each<[TemplateRow['category'], Components, string]>([
  ['UTILITY', [{ type: 'FOOTER', text: 'x' }], 'components'],
  ['UTILITY', [{ type: 'BODY', text: 'a {{2}}' }], 'components.BODY.text'],
  ['UTILITY', [{ type: 'BODY', text: 'a {{1}} {{name}}' }], 'components.BODY.text'],
  ['UTILITY', [{ type: 'BODY' }], 'components.BODY.text'],
  ['MARKETING', [{ type: 'BODY', text: 'a' }, ...OTP.slice(1)], 'components.BUTTONS'],
  ['AUTHENTICATION', [{ type: 'BODY', text: 'a' }], 'components.BUTTONS'],
  ['AUTHENTICATION', [{ type: 'HEADER', format: 'IMAGE' }, ...OTP], 'components.HEADER'],
])('%s of %j is refused for %s', (category, components, field) => {
  expect(templateErrors({ category, components }).map((each) => each.field)).toEqual([field])
})

describe('the registry', () => {
  const put = (path: string, body: object, options: object = admin) =>
    api.call('PUT', `${TEMPLATES}/${path}`, { body, ...options })
  const send = (more: object, options = {}) =>
    api.call('POST', MESSAGES, { body: { ...sample(), ...more }, ...options })

  test("is an organisation's own, written by administrators", async () => {
    const body = { category: 'AUTHENTICATION', components: OTP }
    expect((await put('login_code/en_US', body, {})).status).toBe(403)
    const made = await put('login_code/en_US', body)
    expect(made).toMatchObject({
      status: 201,
      body: {
        ...{ name: 'login_code', language: 'en_US', status: 'APPROVED' },
        parameters: { header: null, body: ['1'], buttons: ['otp'] },
      },
    })
    expect((await put('login_code/en_US', body)).status).toBe(200)
    expect((await put('login_code/en_US', { ...body, components: [] })).status).toBe(400)
    const wrong = await put('login_code/en_US', { ...body, components: OTP.slice(0, 1) })
    expect(wrong.body['errors']).toMatchObject([{ field: 'components.BUTTONS' }])
    const path = `${TEMPLATES}/login_code/en_US`
    expect((await api.call('GET', path)).status).toBe(200)
    expect((await api.call('GET', path, { org: 'other' })).status).toBe(404)
    expect((await api.call('DELETE', path, { org: 'other', ...admin })).status).toBe(404)
    expect((await api.call('DELETE', path, admin)).status).toBe(204)
  })

  test('checks messages when they are queued, and sends them as the Cloud API demands', async () => {
    await put('login_code/en_US', { category: 'AUTHENTICATION', components: OTP })
    const templateCode = 'login_code'
    const missing = await send({ templateCode, payloadJson: { language: 'en_US' } })
    expect(missing.status).toBe(400)
    expect(missing.body['errors']).toEqual([
      { field: 'payloadJson.parameters', reason: 'must have 1 values, not 0' },
    ])
    const foreign = await send({ templateCode, payloadJson: { language: 'de', parameters: ['1'] } })
    expect(foreign.body['errors']).toMatchObject([{ field: 'payloadJson.language' }])
    const { body } = await send({ templateCode, payloadJson: { parameters: ['4711'] } })
    expect(body['priority']).toBe('urgent')
    await api.relay.runOnce()
    // The simulator refuses a code without its button.
    await expect
      .poll(async () => (await api.call('GET', `${MESSAGES}/${body.id}`)).body.status)
      .toBe('DELIVERED')
    expect((await api.call('GET', `${MESSAGES}/${body.id}`)).body['payloadJson']).toEqual({
      parameters: ['4711'],
    })
    // Of another organisation, which has not registered it, the provider decides.
    const other = await send({ templateCode, payloadJson: { parameters: ['1'] } }, { org: 'other' })
    await api.relay.runOnce()
    const refused = await api.call('GET', `${MESSAGES}/${other.body.id}`, { org: 'other' })
    expect(refused.body).toMatchObject({ status: 'FAILED', errorCode: '132000' })
    const header = await send({ payloadJson: { header: 'x', parameters: ['1'] } })
    expect(header.body['errors']).toMatchObject([{ field: 'payloadJson.header' }])
  })

  test('takes over what Meta lists, and keeps back what Meta has paused', async () => {
    const imported = await api.call('POST', `${TEMPLATES}/import`, { body: {}, ...admin })
    expect(imported).toMatchObject({ status: 200, body: { imported: 6, skipped: [] } })
    const { body } = await api.call<{ items: Resource[] }>('GET', `${TEMPLATES}?limit=4`)
    expect(body.items).toHaveLength(4)
    const message = await send({
      templateCode: 'order_shipped',
      payloadJson: {
        header: { link: 'https://shop.example/a.png' },
        ...{ parameters: { name: 'Ada', order: '17' }, buttons: ['17'] },
      },
    })
    expect(message.status).toBe(201)
    await api.relay.runOnce()
    await expect
      .poll(async () => (await api.call('GET', `${MESSAGES}/${message.body.id}`)).body.status)
      .toBe('DELIVERED')
    await database.pool.query(`update messages.template set status = 'PAUSED'`)
    const paused = await send({})
    expect(paused.body['errors']).toMatchObject([{ field: 'templateCode' }])
    await api.sim('POST', '/whatsapp/faults', { mode: 'error', status: 401, code: 190, times: 1 })
    const failed = await api.call('POST', `${TEMPLATES}/import`, { body: {}, ...admin })
    expect(failed).toMatchObject({ status: 409, body: { code: 'ACCOUNT_REFUSED' } })
    await api.sim('POST', '/whatsapp/faults', { mode: 'error', status: 503, times: 1 })
    const away = await api.call('POST', `${TEMPLATES}/import`, { body: {}, ...admin })
    expect(away).toMatchObject({ status: 502, body: { code: 'TEMPLATES_UNREADABLE' } })
  })
})
