import { expect, test } from 'vitest'
import { type Incident, placeOf, trendText } from './incidents.tsx'

const incident: Incident = {
  id: 'i',
  state: 'open',
  source: 'example.greetings',
  code: 'HTTP_503',
  tenant: null,
  openedAt: '2026-11-16T12:00:00Z',
  closedAt: null,
  owner: null,
  acknowledgedAt: null,
  acknowledgedBy: null,
  snoozedUntil: null,
  standing: 3,
  alerts: 4,
  lastAt: null,
  lastHour: 3,
  hourBefore: 1,
  trend: 'rising',
  detail: null,
  subject: null,
}

test('a trend is said with its numbers', () => {
  expect(trendText(incident)).toBe('rising: 3 in the last hour, 1 in the hour before')
  expect(trendText({ ...incident, trend: 'steady' })).toBe('steady: 3 in the last hour')
})

test('an incident leads to where it is mended', () => {
  expect(placeOf(incident, [])).toBe('/dead-letters?outbox=example.greetings&code=HTTP_503')
  expect(placeOf({ ...incident, source: 'topic/group' }, [])).toBe('/consumers')
  const own = { ...incident, source: 'robots' }
  expect(placeOf(own, [])).toBe('/alerts?source=robots&code=HTTP_503')
  const web = {
    pages: [],
    alertPage: ({ source }: { source: string }) => (source === 'robots' ? '/robots' : undefined),
  }
  expect(placeOf(own, [web])).toBe('/robots')
})
