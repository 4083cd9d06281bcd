import { transaction } from '@posthorn/engine'
import {
  countDeadLetters,
  dropDeadLetters,
  getDeadLetter,
  listDeadLetters,
  replayDeadLetters,
  type LetterFilter,
  type SetAsideMessage,
} from '@posthorn/engine/operate'
import { ask } from './prompt.ts'
import type { DeadLettersOptions } from './commands/dead-letters.ts'
import { EXIT, type ExitCode } from './exit.ts'
import { operatorName } from './operator.ts'
import { withSession, type Session } from './session.ts'
import { renderTable } from './table.ts'
import type { Terminal } from './terminal.ts'
import { timeOf } from './time.ts'
import { pluralise, duration, oneLine } from './words.ts'

/** Lists what consumers have set aside, newest first. */
export async function showLetters(
  terminal: Terminal,
  options: DeadLettersOptions,
): Promise<ExitCode> {
  const { state, limit } = options
  return withSession(terminal, options, async (session) => {
    const { items, nextCursor } = await listDeadLetters(session.db, {
      ...(await filterOf(session, options)),
      ...(state !== 'all' && { state }),
      limit,
    })
    const more = nextCursor !== undefined
    if (options.json) terminal.printJson({ items: items.map(asJson), more })
    else if (items.length === 0) terminal.say('nothing is set aside')
    else terminal.print(lines(items, terminal).join('\n'))
    if (more && !options.json) terminal.say('there are more: raise --limit')
    return EXIT.ok
  })
}

/** One of them, whole. */
export async function showLetter(
  terminal: Terminal,
  id: string,
  options: DeadLettersOptions,
): Promise<ExitCode> {
  return withSession(terminal, options, async ({ db }) => {
    const letter = await getDeadLetter(db, id)
    if (!letter) {
      terminal.say(`nothing with the id ${oneLine(id)} is set aside`)
      return EXIT.failed
    }
    if (options.json) terminal.printJson(asJson(letter))
    else terminal.print(JSON.stringify(asJson(letter), undefined, 2))
    return EXIT.ok
  })
}

/** Counts, asks, and replays or drops dead letters. */
export async function operateLetters(
  terminal: Terminal,
  operation: 'replay' | 'drop',
  options: DeadLettersOptions,
): Promise<ExitCode> {
  return withSession(terminal, options, async (session) => {
    const filter = await filterOf(session, options)
    const matched = await countDeadLetters(session.db, filter, operation)
    const wanted = Math.min(matched, options.limit)
    if (wanted > 0 && !options.yes) {
      const answer = await ask(terminal, `${operation} ${pluralise(wanted, 'dead letter')}?`)
      if (answer !== 'yes') {
        terminal.say('nothing was changed')
        return answer === 'left' ? EXIT.interrupted : EXIT.failed
      }
    }
    const run = operation === 'replay' ? replayDeadLetters : dropDeadLetters
    const asked = {
      filter,
      limit: options.limit,
      by: operatorName(options.by, terminal.env),
      ...(options.reason !== undefined && { reason: options.reason }),
    }
    const ids = wanted === 0 ? [] : await transaction(session.pool, (tx) => run(tx, asked))
    const done = operation === 'replay' ? 'replayed' : 'dropped'
    if (options.json) terminal.printJson({ matched, [done]: ids.length, ids })
    else terminal.print(`${pluralise(ids.length, 'dead letter')} ${done}`)
    return EXIT.ok
  })
}

async function filterOf({ db }: Session, options: DeadLettersOptions): Promise<LetterFilter> {
  const { id, topic, group, type, key, tenant, code, since, until } = options
  return {
    ...(id !== undefined && { ids: id }),
    ...(topic !== undefined && { topic }),
    ...(group !== undefined && { group }),
    ...(type !== undefined && { type }),
    ...(key !== undefined && { key }),
    ...(tenant !== undefined && { tenant }),
    ...(code !== undefined && { code }),
    ...(since !== undefined && { since: await timeOf(db, since) }),
    ...(until !== undefined && { until: await timeOf(db, until) }),
  }
}

const COLUMNS = [
  { title: 'ID', align: 'right' },
  { title: 'AGE', align: 'right' },
  { title: 'STATE' },
  { title: 'GROUP' },
  { title: 'TYPE' },
  { title: 'KEY' },
  { title: 'ATTEMPTS', align: 'right' },
  { title: 'ERROR' },
] as const

function lines(letters: readonly SetAsideMessage[], { paint, stdout }: Terminal): string[] {
  const rows = letters.map((letter) => [
    letter.id,
    duration((Date.now() - letter.setAsideAt.getTime()) / 1_000),
    { text: letter.state, style: letter.state === 'dead' ? ('red' as const) : ('none' as const) },
    oneLine(letter.group),
    oneLine(letter.type ?? '-'),
    oneLine(letter.key ?? '-'),
    String(letter.attempts),
    oneLine([letter.code, letter.error].filter(Boolean).join(': ')),
  ])
  return renderTable(COLUMNS, rows, { paint, width: stdout.isTTY ? stdout.columns : undefined })
}

function asJson({ body, ...letter }: SetAsideMessage): Record<string, unknown> {
  const fields = { ...letter, body: body && Buffer.from(body).toString('base64') }
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value ?? null]))
}
