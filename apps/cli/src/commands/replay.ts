import { transaction, type Outbox } from '@posthorn/engine'
import {
  countReplay,
  runReplay,
  startReplay,
  stopReplay,
  type ReplayFilter,
  type ReplayRun,
} from '@posthorn/operate'
import { getReplay, type ReplayRunOptions } from '@posthorn/operate/internal'
import { isId } from '@posthorn/engine/internal'
import {
  asOperator,
  examples,
  given,
  onDatabase,
  parseCount,
  parseRate,
  withFilter,
  withJson,
  type Define,
  type FilterOptions,
  type OperatorOptions,
} from '../options.ts'
import { EXIT, UsageError, type ExitCode } from '../errors.ts'
import { ask, startProgress } from '../terminal/interact.ts'
import {
  operatorOf,
  outboxNamed,
  readFilter,
  throwAsUsage,
  withSession,
  type Session,
} from '../session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { pluralise, number } from '../terminal/words.ts'

interface ReplayOptions extends OperatorOptions, FilterOptions {
  readonly limit?: number
  readonly perSecond?: number
  readonly dryRun?: true
  readonly yes?: true
}

export const defineReplay: Define = (command, { terminal, end }) => {
  withFilter(command, 'created')
    .argument('<outbox>', 'its name, as `posthorn status` shows it')
    .option('--dead', 'dead letters, as in `posthorn messages --dead`; the default')
    .option('--limit <n>', 'at most this many, oldest first', parseCount)
    .option('--per-second <n>', 'at most this many become due in a second', parseRate)
  onDatabase(withJson(asOperator(command)))
    .option('--dry-run', 'count the messages, replay none')
    .option('--yes', 'do not ask; needed without a terminal')
    .action(async (outbox: string, options: ReplayOptions) =>
      end(await replayOutbox(terminal, outbox, options)),
    )
  examples(command, [
    'replay shop.outbox --dry-run',
    "replay shop.outbox --code BAD_ADDRESS --since 2h --reason 'T-481'",
    'replay shop.outbox --per-second 50 --yes',
  ])
}

/** Counts, asks, and replays in batches until all that was counted is done. */
async function replayOutbox(
  terminal: Terminal,
  name: string,
  options: ReplayOptions,
): Promise<ExitCode> {
  return withSession(terminal, options, async (session) => {
    const outbox = outboxNamed(session, name)
    const filter = await readFilter(session.db, options)
    const matched = await count(terminal, session, { outbox, filter })
    const wanted = Math.min(matched, options.limit ?? matched)
    const said = { outbox: outbox.name, matched }
    if (options.dryRun || matched === 0) {
      if (options.json) {
        terminal.printJson({ ...said, replayed: 0, dryRun: options.dryRun === true })
      } else terminal.print(`${pluralise(matched, 'message')} of ${outbox.name} to replay`)
      return EXIT.ok
    }
    const answer = options.yes ? 'yes' : await ask(terminal, question(said, wanted))
    if (answer !== 'yes') {
      terminal.say('nothing was changed')
      return answer === 'left' ? EXIT.interrupted : EXIT.failed
    }
    const { limit, perSecond } = options
    const end = await replayAll(terminal, session, {
      outbox,
      options: { filter, ...operatorOf(terminal, options), ...given({ limit, perSecond }) },
    })
    if (options.json) terminal.printJson({ ...said, replayed: end.replayed, dryRun: false })
    else terminal.print(`${pluralise(end.replayed, 'message')} of ${outbox.name} replayed`)
    if (end.why !== undefined) terminal.say(end.why)
    return end.code
  })
}

interface End {
  readonly replayed: number
  readonly code: ExitCode
  /** Why it is less than what was counted. */
  readonly why?: string
}

/** Replays in batches; a second server or command on the same database may help. */
async function replayAll(
  terminal: Terminal,
  session: Session,
  { outbox, options }: { outbox: Outbox; options: ReplayRunOptions },
): Promise<End> {
  const { interrupted } = terminal
  const { pool } = session
  using progress = startProgress(terminal, 'replaying')
  const started = await transaction(pool, (tx) => startReplay(tx, outbox, options))
  const run = await runReplay(pool, outbox, {
    run: started,
    signal: interrupted,
    onProgress: ({ replayed, wanted }) =>
      progress.tell(`replayed ${number(replayed)} of ${number(wanted)}`),
  })
  if (run.state === 'running') {
    const { by, reason = 'interrupted' } = options
    await transaction(pool, (tx) => stopReplay(tx, outbox, { id: run.id, by, reason }))
  }
  return endOf((await getReplay(pool, outbox, run.id)) ?? run)
}

function endOf({ state, replayed, wanted, diedAgain }: ReplayRun): End {
  const left = number(wanted - replayed)
  if (diedAgain > 0) {
    const why = `${pluralise(diedAgain, 'message')} died again meanwhile: the cause is not gone`
    return { replayed, code: EXIT.failed, why }
  }
  if (state === 'stopped') {
    return {
      replayed,
      code: EXIT.interrupted,
      why: `interrupted; the other ${left} are as they were`,
    }
  }
  if (replayed === wanted) return { replayed, code: EXIT.ok }
  return {
    replayed,
    code: EXIT.ok,
    why: `${left} are no longer dead, or another operator is at them`,
  }
}

async function count(
  terminal: Terminal,
  session: Session,
  { outbox, filter }: { outbox: Outbox; filter: ReplayFilter },
): Promise<number> {
  const { idType } = outbox.columns
  if (filter.ids?.some((id) => !isId(id, idType))) {
    throw new UsageError(`--id: ids of ${outbox.name} are of type ${idType}`)
  }
  using _ = startProgress(terminal, 'counting')
  try {
    return await countReplay(session.pool, outbox, filter)
  } catch (error) {
    throwAsUsage(error, 'DEFINITION_INVALID')
  }
}

function question(said: { outbox: string; matched: number }, wanted: number): string {
  const part = wanted < said.matched ? `${number(wanted)} of ` : ''
  return `Replay ${part}${pluralise(said.matched, 'message')} of ${said.outbox}?`
}
