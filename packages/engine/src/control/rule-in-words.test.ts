import { expect, test } from 'vitest'
import { ruleText, type RecurringRule } from '../outbox/recurring.ts'
import { ruleInWords, ruleOf } from './rule-in-words.ts'

test.each<[RecurringRule, string]>([
  [{ every: '30s' }, 'every 30 seconds'],
  [{ every: '1m' }, 'every minute'],
  [{ every: '1.5h' }, 'every 1.5 hours'],
  [{ cron: '0 6 * * *', timeZone: 'Europe/Zurich' }, 'every day at 06:00, Europe/Zurich'],
  [{ cron: '0 6 * * MON-FRI' }, 'Monday to Friday at 06:00, UTC'],
  [{ cron: '30 8,18 * * 1,3,7' }, 'on Monday, Wednesday and Sunday at 08:30 and 18:30, UTC'],
  [{ cron: '0 0 1 jan,JUL *' }, 'on day 1 of the month at 00:00 in January and July, UTC'],
  [{ cron: '0 0 L * *' }, 'on the last day of the month at 00:00, UTC'],
  [{ cron: '0 6 1,15 * FRI' }, 'on day 1 and 15 of the month or on Friday at 06:00, UTC'],
  [{ cron: '* * * * *' }, 'every minute, UTC'],
  [{ cron: '*/15 8-17 * * *' }, 'every 15 minutes from 08:00 to 17:59, UTC'],
  [{ cron: '0 * * * *' }, 'every hour, UTC'],
  [{ cron: '5,35 */2 * * *' }, 'every 2 hours at minute 5 and 35, UTC'],
  [{ cron: '*/10 * * * * *' }, 'every 10 seconds, UTC'],
  [{ cron: '* * * * * *' }, 'every second, UTC'],
  [{ cron: '@daily' }, 'every day at 00:00, UTC'],
  [{ cron: '0 6 * * FRI#2' }, 'by the pattern 0 6 * * FRI#2, UTC'],
  [{ cron: '1-5 6 * * *' }, 'by the pattern 1-5 6 * * *, UTC'],
  [{ cron: '30 0 6 * * *' }, 'by the pattern 30 0 6 * * *, UTC'],
])('%j is %s', (rule, words) => {
  expect(ruleInWords(ruleText(rule))).toBe(words)
})

test('a rule is read again as it was written', () => {
  const cron = { cron: '0 6 * * MON-FRI', timeZone: 'Europe/Zurich' }
  expect(ruleOf(ruleText(cron))).toEqual(cron)
  expect(ruleOf(ruleText({ every: '90s' }))).toEqual({ every: '90s' })
})
