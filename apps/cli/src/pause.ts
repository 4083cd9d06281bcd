import { transaction, type Queryable } from '@posthorn/engine'
import { listPaused, pause, resume } from '@posthorn/engine/operate'
import type { PauseOptions } from './commands/pause.ts'
import { EXIT, type ExitCode } from './exit.ts'
import { operatorName } from './operator.ts'
import { outboxNamed, withSession } from './session.ts'
import type { Terminal } from './terminal.ts'
import { duration, oneLine } from './words.ts'

/** Stops the claims of an outbox; says by whom it was stopped if it was paused before. */
export async function pauseOutbox(
  terminal: Terminal,
  name: string,
  options: PauseOptions,
): Promise<ExitCode> {
  return withSession(terminal, options, async (session) => {
    const outbox = outboxNamed(session, name)
    const before = await transaction(session.pool, async (tx) => {
      const found = await pauseOf(tx, outbox.name)
      await pause(tx, outbox, operatorOf(terminal, options))
      return found
    })
    if (options.json) terminal.printJson({ outbox: outbox.name, paused: true, changed: !before })
    else if (before) terminal.print(`${outbox.name} is paused already, ${describePause(before)}`)
    else terminal.print(`${outbox.name} is paused`)
    return EXIT.ok
  })
}

/** Lets the claims of an outbox go on. */
export async function resumeOutbox(
  terminal: Terminal,
  name: string,
  options: PauseOptions,
): Promise<ExitCode> {
  return withSession(terminal, options, async (session) => {
    const outbox = outboxNamed(session, name)
    const before = await transaction(session.pool, async (tx) => {
      const found = await pauseOf(tx, outbox.name)
      await resume(tx, outbox, operatorOf(terminal, options))
      return found
    })
    if (options.json) {
      terminal.printJson({ outbox: outbox.name, paused: false, changed: before !== undefined })
    } else if (before)
      terminal.print(`${outbox.name} resumed; it was paused ${describePause(before)}`)
    else terminal.print(`${outbox.name} was not paused`)
    return EXIT.ok
  })
}

type Pause = Awaited<ReturnType<typeof listPaused>>[number]

async function pauseOf(db: Queryable, outbox: string): Promise<Pause | undefined> {
  return (await listPaused(db)).find((each) => each.outbox === outbox)
}

function describePause({ pausedAt, pausedBy, reason }: Pause): string {
  const since = duration((Date.now() - pausedAt.getTime()) / 1_000)
  return oneLine(`by ${pausedBy} ${since} ago${reason === undefined ? '' : `, ${reason}`}`)
}

function operatorOf(terminal: Terminal, { by, reason }: PauseOptions) {
  return { by: operatorName(by, terminal.env), ...(reason !== undefined && { reason }) }
}
