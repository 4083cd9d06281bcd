import type { OutboxDefinition } from './definition.ts'
import { toMs } from '../duration.ts'
import { nextAfter, type Recurring } from './recurring.ts'

type Wrong = (field: string, problem: string) => never

const FIELDS = ['cron', 'timeZone', 'every', 'missed', 'message']

/** Rules that say when, of messages that recur. */
export function checkRecurring<Row>({ recurring }: OutboxDefinition<Row>, wrong: Wrong): void {
  for (const [name, each] of Object.entries(recurring ?? {})) {
    const field = `recurring.${name}`
    if (!/^[\w.-]{1,63}$/.test(name)) {
      wrong(field, 'must be called by up to 63 letters, digits, ".", "_" and "-"')
    }
    const strange = Object.keys(each).find((key) => !FIELDS.includes(key))
    if (strange !== undefined) {
      wrong(`${field}.${strange}`, `is not a field; the fields here are: ${FIELDS.join(', ')}`)
    }
    if (typeof each.message !== 'function') {
      wrong(`${field}.message`, 'must be a function that returns the row to enqueue')
    }
    if (!['latest', 'all', 'skip', undefined].includes(each.missed)) {
      wrong(`${field}.missed`, 'must be "latest", "all" or "skip"')
    }
    checkRule(field, each, wrong)
  }
}

function checkRule<Row>(field: string, rule: Recurring<Row>, wrong: Wrong): void {
  if ((rule.cron === undefined) === (rule.every === undefined)) {
    wrong(field, 'needs either cron or every')
  }
  if (rule.cron === undefined) {
    if (rule.timeZone !== undefined) {
      wrong(`${field}.timeZone`, 'must be left out: lengths of time are the same everywhere')
    }
    let ms = 0
    try {
      ms = toMs(rule.every)
    } catch {
      wrong(`${field}.every`, `"${rule.every}" is not a duration like "30s" or "6h"`)
    }
    if (ms < 1_000) wrong(`${field}.every`, 'must be at least 1s')
    return
  }
  checkZone(field, rule.timeZone ?? 'UTC', wrong)
  let next: Date | undefined
  try {
    next = nextAfter(rule, new Date())
  } catch (error) {
    wrong(`${field}.cron`, `"${rule.cron}" is no pattern: ${(error as Error).message}`)
  }
  if (next === undefined) wrong(`${field}.cron`, `"${rule.cron}" never comes`)
}

function checkZone(field: string, timeZone: string, wrong: Wrong): void {
  try {
    Intl.DateTimeFormat('en', { timeZone })
  } catch {
    wrong(`${field}.timeZone`, `"${timeZone}" is not a time zone like "Europe/Zurich"`)
  }
}
