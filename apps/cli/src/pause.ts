import { transaction, type Queryable } from '@posthorn/engine'
import { listPaused, pause, resume } from '@posthorn/engine/operate'
import type { PauseOptions } from './commands/pause.ts'
import { EXIT, type ExitCode } from './exit.ts'
import { operatorName } from './operator.ts'
import { outboxNamed, withSession } from './session.ts'
import type { Terminal } from './terminal.ts'
import { duration, oneLine } from './words.ts'

/** Stops the claims of an outbox; says by whom it was stopped if it was paused before. */
export function pauseOutbox(terminal: Terminal, name: string, options: PauseOptions) {
  return change(terminal, name, { options, to: 'paused' })
}

/** Lets the claims of an outbox go on. */
export function resumeOutbox(terminal: Terminal, name: string, options: PauseOptions) {
  return change(terminal, name, { options, to: 'running' })
}

function change(
  terminal: Terminal,
  name: string,
  { options, to }: { options: PauseOptions; to: 'paused' | 'running' },
): Promise<ExitCode> {
  return withSession(terminal, options, async (session) => {
    const outbox = outboxNamed(session, name)
    const before = await transaction(session.pool, async (tx) => {
      const found = await pauseOf(tx, outbox.name)
      await (to === 'paused' ? pause : resume)(tx, outbox, operatorOf(terminal, options))
      return found
    })
    const changed = (to === 'paused') === (before === undefined)
    if (options.json) terminal.printJson({ outbox: outbox.name, paused: to === 'paused', changed })
    else terminal.print(`${outbox.name} ${describeChange(to, before)}`)
    return EXIT.ok
  })
}

function describeChange(to: 'paused' | 'running', before: Pause | undefined): string {
  if (to === 'paused') return before ? `is paused already, ${describePause(before)}` : 'is paused'
  return before ? `resumed; it was paused ${describePause(before)}` : 'was not paused'
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
