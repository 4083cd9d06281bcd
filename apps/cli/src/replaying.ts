import { transaction, type Outbox } from '@posthorn/engine'
import {
  countReplay,
  isId,
  replay,
  type Operator,
  type ReplayFilter,
} from '@posthorn/engine/operate'
import { ask } from './asking.ts'
import type { ReplayCommandOptions } from './commands/replay.ts'
import { EXIT, UsageError, type ExitCode } from './exit.ts'
import { operatorName } from './operator.ts'
import { startProgress } from './progress.ts'
import { outboxNamed, withSession, type Session } from './session.ts'
import type { Terminal } from './terminal.ts'
import { timeOf } from './time.ts'
import { codeOf } from './trouble.ts'
import { sleep } from './waiting.ts'
import { counted, number } from './words.ts'

/** Messages in one transaction: seconds of locks, not minutes. */
const BATCH = 10_000

/** Counts, asks, and replays in batches until all that was counted is done. */
export async function replayOutbox(
  terminal: Terminal,
  name: string,
  options: ReplayCommandOptions,
): Promise<ExitCode> {
  return withSession(terminal, options, async (session) => {
    const outbox = outboxNamed(session, name)
    const filter = await filterOf(session, options)
    const matched = await count(terminal, session, { outbox, filter })
    const wanted = Math.min(matched, options.limit ?? matched)
    const said = { outbox: outbox.name, matched }
    if (options.dryRun || matched === 0) {
      if (options.json) {
        terminal.printJson({ ...said, replayed: 0, dryRun: options.dryRun === true })
      } else terminal.print(`${counted(matched, 'message')} of ${outbox.name} to replay`)
      return EXIT.ok
    }
    const answer = options.yes ? 'yes' : await ask(terminal, question(said, wanted))
    if (answer !== 'yes') {
      terminal.say('nothing was changed')
      return answer === 'left' ? EXIT.interrupted : EXIT.failed
    }
    const operator = {
      by: operatorName(options.by, terminal.env),
      ...(options.reason !== undefined && { reason: options.reason }),
    }
    const task = { outbox, filter, operator, wanted, perSecond: options.perSecond }
    const end = await replayAll(terminal, session, task)
    if (options.json) terminal.printJson({ ...said, replayed: end.replayed, dryRun: false })
    else terminal.print(`${counted(end.replayed, 'message')} of ${outbox.name} replayed`)
    if (end.why !== undefined) terminal.say(end.why)
    return end.code
  })
}

interface Task {
  readonly outbox: Outbox
  readonly filter: ReplayFilter
  readonly operator: Operator
  readonly wanted: number
  readonly perSecond: number | undefined
}

interface End {
  readonly replayed: number
  readonly code: ExitCode
  /** Why it is less than what was counted. */
  readonly why?: string
}

async function replayAll(terminal: Terminal, session: Session, task: Task): Promise<End> {
  const { outbox, filter, operator, wanted, perSecond } = task
  const { interrupted } = terminal
  const seen = new Set<string>()
  using progress = startProgress(terminal, 'replaying')
  while (seen.size < wanted) {
    const limit = Math.min(BATCH, wanted - seen.size)
    const rate = perSecond === undefined ? {} : { perSecond }
    const ids = await transaction(session.pool, (tx) =>
      replay(tx, outbox, { filter, limit, ...rate, ...operator }),
    )
    const again = ids.filter((id) => seen.has(id)).length
    for (const id of ids) seen.add(id)
    const replayed = seen.size
    if (again > 0) {
      const why = `${counted(again, 'message')} died again meanwhile: the cause is not gone`
      return { replayed, code: EXIT.failed, why }
    }
    if (ids.length === 0) {
      const why = `${number(wanted - replayed)} are no longer dead, or somebody is at them`
      return { replayed, code: EXIT.ok, why }
    }
    progress.tell(`replayed ${number(replayed)} of ${number(wanted)}`)
    // A batch is spread over a time of its own: the next one begins when this one has become due.
    if (replayed < wanted && perSecond !== undefined) {
      await sleep((ids.length / perSecond) * 1_000, interrupted)
    }
    if (interrupted.aborted && replayed < wanted) {
      const why = `interrupted; the other ${number(wanted - replayed)} are as they were`
      return { replayed, code: EXIT.interrupted, why }
    }
  }
  return { replayed: seen.size, code: EXIT.ok }
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
    if (codeOf(error) === 'DEFINITION_INVALID') {
      throw new UsageError((error as Error).message, { cause: error })
    }
    throw error
  }
}

async function filterOf(session: Session, options: ReplayCommandOptions): Promise<ReplayFilter> {
  const { id: ids, type, tenant, key, code } = options
  const since = options.since && (await timeOf(session.db, options.since))
  const until = options.until && (await timeOf(session.db, options.until))
  return {
    ...(ids && { ids }),
    ...(type !== undefined && { type }),
    ...(tenant !== undefined && { tenant }),
    ...(key !== undefined && { key }),
    ...(code !== undefined && { code }),
    ...(since && { since }),
    ...(until && { until }),
  }
}

function question(said: { outbox: string; matched: number }, wanted: number): string {
  const part = wanted < said.matched ? `${number(wanted)} of ` : ''
  return `Replay ${part}${counted(said.matched, 'message')} of ${said.outbox}?`
}
