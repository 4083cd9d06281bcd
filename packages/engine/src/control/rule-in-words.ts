import type { RecurringRule } from '../outbox/recurring.ts'

/** A rule as a row has it, read again; a text that is none gives an `every` that says so. */
export function ruleOf(text: string): RecurringRule {
  const [, cron, timeZone] = /^cron (.+) (\S+)$/.exec(text) ?? []
  if (cron !== undefined && timeZone !== undefined) return { cron, timeZone }
  return { every: text.replace(/^every /, '') as never }
}

/** A rule as people say it: `every day at 06:00, Europe/Zurich`. */
export function ruleInWords(text: string): string {
  const rule = ruleOf(text)
  if (rule.cron === undefined) return lengthInWords(rule.every)
  return `${cronInWords(rule.cron)}, ${rule.timeZone}`
}

const UNITS: Readonly<Record<string, string>> = {
  ms: 'millisecond',
  s: 'second',
  m: 'minute',
  h: 'hour',
  d: 'day',
}

function lengthInWords(every: string): string {
  const [, count = '', unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(every) ?? []
  const noun = UNITS[unit]
  if (noun === undefined) return `every ${every}`
  return count === '1' ? `every ${noun}` : `every ${count} ${noun}s`
}

const NICKNAMES: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
}

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December'],
]

/** Times of a day that are named one by one; more are described by their fields. */
const MOST_TIMES = 4

/** What is rare stays a pattern: wrong words would be worse than none. */
function cronInWords(cron: string): string {
  const pattern = NICKNAMES[cron.toLowerCase()] ?? cron
  const fields = pattern.trim().split(/\s+/)
  const [second, minute, hour, day, month, weekday] =
    fields.length === 5 ? ['0', ...fields] : fields
  const time = second === '0' ? timeInWords(minute, hour) : secondsInWords([second, minute, hour])
  const days = daysInWords(day, weekday)
  const months = namesInWords(month, { names: MONTHS, first: 1 })
  if (time === undefined || days === undefined || months === undefined) {
    return `by the pattern ${cron}`
  }
  const daily = days === '' && time.startsWith('at') ? 'every day' : days
  const when = time.startsWith('at') ? [daily, time] : [time, days]
  const season = months === '' ? [] : [`in ${months}`]
  return [...when, ...season].filter((word) => word !== '').join(' ')
}

function secondsInWords(fields: readonly (string | undefined)[]): string | undefined {
  const [second = '', ...others] = fields
  if (others.some((field) => field !== '*')) return undefined
  if (second === '*') return 'every second'
  const step = stepOf(second)
  return step === undefined ? undefined : `every ${step} seconds`
}

function timeInWords(minute = '', hour = ''): string | undefined {
  const minutes = numbersOf(minute)
  const hours = numbersOf(hour)
  if (minutes && hours) {
    const times = hours.flatMap((h) => minutes.map((m) => `${twoDigits(h)}:${twoDigits(m)}`))
    return times.length > MOST_TIMES ? undefined : `at ${listed(times)}`
  }
  const among = hour === '*' ? '' : rangeInWords(hour)
  if (among !== undefined && minute === '*') return `every minute${among}`
  const step = stepOf(minute)
  if (among !== undefined && step !== undefined) return `every ${step} minutes${among}`
  if (!minutes) return undefined
  const hourStep = stepOf(hour)
  if (among === undefined && hourStep === undefined) return undefined
  const each = hourStep === undefined ? `every hour${among}` : `every ${hourStep} hours`
  if (minutes.length === 1 && minutes[0] === 0) return each
  return `${each} at minute ${listed(minutes.map(String))}`
}

function rangeInWords(hour: string): string | undefined {
  const [, from, to] = /^(\d{1,2})-(\d{1,2})$/.exec(hour) ?? []
  if (from === undefined || to === undefined) return undefined
  return ` from ${twoDigits(Number(from))}:00 to ${twoDigits(Number(to))}:59`
}

function daysInWords(day = '', weekday = ''): string | undefined {
  const weekdays = namesInWords(weekday, { names: DAYS, first: 0 })
  const days = monthDaysInWords(day)
  if (weekdays === undefined || days === undefined) return undefined
  if (weekdays === '') return days
  if (days === '' && /^\w+ to \w+$/.test(weekdays)) return weekdays
  // With both given, either will do.
  return days === '' ? `on ${weekdays}` : `${days} or on ${weekdays}`
}

function monthDaysInWords(day: string): string | undefined {
  if (day === '*') return ''
  if (day.toUpperCase() === 'L') return 'on the last day of the month'
  const days = numbersOf(day)
  return days && `on day ${listed(days.map(String))} of the month`
}

/** `''` for all of them, undefined for what is neither a name, a number, a list nor a range. */
function namesInWords(
  field = '',
  { names, first }: { names: readonly string[]; first: number },
): string | undefined {
  if (field === '*') return ''
  const nameOf = (part: string): string | undefined => {
    const index = /^\d{1,2}$/.test(part)
      ? Number(part) - first
      : names.findIndex((name) => name.slice(0, 3).toLowerCase() === part.toLowerCase())
    // 7 is Sunday too.
    return index === 7 && first === 0 ? names[0] : names[index]
  }
  const words: string[] = []
  for (const part of field.split(',')) {
    const [from, to] = part.split('-', 2).map(nameOf)
    if (from === undefined || (part.includes('-') && to === undefined)) return undefined
    words.push(to === undefined ? from : `${from} to ${to}`)
  }
  return listed(words)
}

function numbersOf(field: string): readonly number[] | undefined {
  return /^\d{1,2}(,\d{1,2})*$/.test(field) ? field.split(',').map(Number) : undefined
}

function stepOf(field: string): string | undefined {
  return /^\*\/(\d+)$/.exec(field)?.[1]
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}

function listed(words: readonly string[]): string {
  const last = words.at(-1) ?? ''
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`
}
