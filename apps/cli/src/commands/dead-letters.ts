import { transaction } from '@posthorn/engine'
import { countDeadLetters, type LetterFilter } from '@posthorn/engine/internal'
import {
  dropDeadLetters,
  getDeadLetter,
  listDeadLetters,
  replayDeadLetters,
  type SetAsideMessage,
} from '@posthorn/operate'
import { Option } from 'commander'
import {
  asOperator,
  examples,
  given,
  onDatabase,
  parseCount,
  withFilter,
  withJson,
  type Define,
  type FilterOptions,
  type OperatorOptions,
} from '../options.ts'
import { EXIT, type ExitCode } from '../errors.ts'
import { ask } from '../terminal/interact.ts'
import { operatorOf, readFilter, withSession, type Session } from '../session.ts'
import { renderTable, tableStyle } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { pluralise, duration, oneLine } from '../terminal/words.ts'

interface DeadLettersOptions extends OperatorOptions, FilterOptions {
  readonly state: 'dead' | 'retry' | 'parked' | 'all'
  readonly topic?: string
  readonly group?: string
  readonly limit: number
  readonly show?: string
  readonly replay?: true
  readonly drop?: true
  readonly yes?: true
}

export const defineDeadLetters: Define = (command, { terminal, end }) => {
  withFilter(command, 'set aside')
    .addOption(
      new Option('--state <state>', 'only this state; only dead ones are replayed or dropped')
        .choices(['dead', 'retry', 'parked', 'all'])
        .default('dead'),
    )
    .option('--topic <topic>', 'only this topic')
    .option('--group <group>', 'only this consumer group')
    .option('--limit <n>', 'at most this many', parseCount, 50)
    .option('--show <id>', 'show this one, with headers and payload')
    .addOption(new Option('--replay', 'give them to their consumers again').conflicts('drop'))
    .addOption(new Option('--drop', 'delete them forever'))
  onDatabase(withJson(asOperator(command)))
    .option('--yes', 'do not ask; needed without a terminal')
    .action(async (options: DeadLettersOptions) => {
      const { show, replay, drop } = options
      if (show !== undefined) return end(await showLetter(terminal, show, options))
      if (!replay && !drop) return end(await showLetters(terminal, options))
      end(await operateLetters(terminal, replay ? 'replay' : 'drop', options))
    })
  examples(command, [
    'dead-letters --group warehouse',
    'dead-letters --show 17',
    "dead-letters --group warehouse --code OUT_OF_STOCK --replay --reason 'T-481'",
    'dead-letters --id 17 --drop --yes',
  ])
}

async function showLetters(terminal: Terminal, options: DeadLettersOptions): Promise<ExitCode> {
  const { state, limit } = options
  return withSession(terminal, options, async (session) => {
    const { items, nextCursor } = await listDeadLetters(session.db, {
      ...(await filterOf(session, options)),
      ...(state !== 'all' && { state }),
      limit,
    })
    const more = nextCursor !== undefined
    if (options.json) terminal.printJson({ items: items.map(withTextBody), more })
    else if (items.length === 0) terminal.say('nothing is set aside')
    else terminal.print(lines(items, terminal).join('\n'))
    if (more && !options.json) terminal.say('there are more: raise --limit')
    return EXIT.ok
  })
}

async function showLetter(
  terminal: Terminal,
  id: string,
  options: DeadLettersOptions,
): Promise<ExitCode> {
  return withSession(terminal, options, async ({ db }) => {
    const letter = await getDeadLetter(db, id)
    if (letter) terminal.printJson(withTextBody(letter))
    else terminal.say(`nothing with the id ${oneLine(id)} is set aside`)
    return letter ? EXIT.ok : EXIT.failed
  })
}

/** Counts, asks, and replays or drops dead letters. */
async function operateLetters(
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
    const asked = { filter, limit: options.limit, ...operatorOf(terminal, options) }
    const ids = wanted === 0 ? [] : await transaction(session.pool, (tx) => run(tx, asked))
    const done = operation === 'replay' ? 'replayed' : 'dropped'
    if (options.json) terminal.printJson({ matched, [done]: ids.length, ids })
    else terminal.print(`${pluralise(ids.length, 'dead letter')} ${done}`)
    return EXIT.ok
  })
}

async function filterOf({ db }: Session, options: DeadLettersOptions): Promise<LetterFilter> {
  const { topic, group } = options
  return { ...given({ topic, group }), ...(await readFilter(db, options)) }
}

const COLUMNS = ['>ID', '>AGE', 'STATE', 'GROUP', 'TYPE', 'KEY', '>ATTEMPTS', 'ERROR']

function lines(letters: readonly SetAsideMessage[], terminal: Terminal): string[] {
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
  return renderTable(COLUMNS, rows, tableStyle(terminal))
}

/** The body as base64 in JSON. */
function withTextBody({ body, ...letter }: SetAsideMessage): Record<string, unknown> {
  return { ...letter, body: body && Buffer.from(body).toString('base64') }
}
