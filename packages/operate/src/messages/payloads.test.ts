import { expect, test } from 'vitest'
import { defineOutbox, exponential } from '@posthorn/engine'
import { viewMessage } from './payloads.ts'

interface Invitation {
  id: string
  status: string
  due_at: Date
  attempts: number
  token: string
  payload: { to: string; link: { token: string }[] }
}

const invitations = defineOutbox<Invitation>({
  name: 'test.invitations',
  table: 'test.invitation',
  states: { ready: 'ready', sent: 'sent', dead: 'dead' },
  columns: { dueAt: 'due_at' },
  counter: { column: 'attempts', bumps: 'on-failure' },
  retry: exponential('1s', { attempts: 3 }),
  destination: ({ payload }) => ({ transport: 'mail', topic: payload.to }),
  message: ({ id, token, payload }) => ({
    id,
    type: 'invited',
    headers: { token },
    payload: { ...payload, opened: { token } },
  }),
  secrets: ['token'],
})

const row = {
  id: '01890a5d-ac96-774b-bcce-b302099a8057',
  status: 'ready',
  due_at: new Date(0),
  attempts: 0,
  token: 'hush',
  payload: { to: 'a@example.org', link: [{ token: 'hush' }] },
}

test('shows what is sent without what is secret, in row, headers and payload', () => {
  const view = viewMessage(invitations, row)
  expect(JSON.stringify(view)).not.toContain('hush')
  expect(view.message?.payload).toEqual({
    to: 'a@example.org',
    link: [{ token: '(hidden)' }],
    opened: { token: '(hidden)' },
  })
  expect(view.destination).toEqual({ transport: 'mail', topic: 'a@example.org' })
  expect(view.row['due_at']).toEqual(new Date(0))
})

test('says why a row cannot be read, and hides its secrets all the same', () => {
  const view = viewMessage(invitations, { ...row, payload: null })
  expect(view.message).toBeUndefined()
  expect(view.unreadable).toMatch(/null/)
  expect(JSON.stringify(view)).not.toContain('hush')
})
