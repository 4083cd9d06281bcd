import { toMs, type Duration } from '@posthorn/engine'
import { sleep } from '@posthorn/engine/operate'
import type { StatusOptions } from './commands/status.ts'
import { EXIT, type ExitCode } from './exit.ts'
import { openScreen } from './screen.ts'
import { withSession, type Session } from './session.ts'
import { statusFrame, type FrameOptions } from './status-frame.ts'
import { readStatus, type Status } from './status.ts'
import type { Terminal } from './terminal.ts'
import { explain } from './explain-error.ts'

/** Prints the status once, or again and again until the operator leaves. */
export async function showStatus(terminal: Terminal, options: StatusOptions): Promise<ExitCode> {
  const isScreen = terminal.stdout.isTTY && !options.json
  return withSession(terminal, options, async (session) => {
    if (options.once || (!isScreen && !options.watch)) {
      const status = await readStatus(session)
      if (options.json) terminal.printJson(status)
      else terminal.print(statusFrame(status, frameOptions(terminal)).join('\n'))
      return EXIT.ok
    }
    return isScreen ? onScreen(terminal, session, options) : onPaper(terminal, session, options)
  })
}

/** Redraws; at the end the last frame stays on the terminal. */
async function onScreen(
  terminal: Terminal,
  session: Session,
  { every }: StatusOptions,
): Promise<ExitCode> {
  let last: Look | undefined
  const draw = (look: Look) => statusFrame(look.status, { ...frameOptions(terminal), ...look })
  let reason: unknown
  {
    using screen = openScreen(terminal)
    const signal = AbortSignal.any([screen.left, terminal.interrupted])
    for await (const look of looks(session, every, signal)) {
      last = look
      screen.draw(draw(look))
    }
    reason = screen.left.reason
  }
  if (last) terminal.print(draw(last).join('\n'))
  return reason === 'quit' ? EXIT.ok : EXIT.interrupted
}

/** One frame below the other, or one document a line. */
async function onPaper(
  terminal: Terminal,
  session: Session,
  { every, json }: StatusOptions,
): Promise<ExitCode> {
  for await (const { status, away } of looks(session, every, terminal.interrupted)) {
    const options = { ...frameOptions(terminal), ...(away && { away }) }
    if (!json) terminal.print(`${statusFrame(status, options).join('\n')}\n`)
    else if (away) terminal.say(`database unavailable: ${away.reason}`)
    else terminal.print(JSON.stringify(status))
  }
  return EXIT.interrupted
}

interface Look {
  readonly status: Status
  readonly away?: { readonly since: Date; readonly reason: string }
}

/**
 * Reads again and again until the signal aborts. A database that goes away does not end it; one that
 * could not be read from the beginning does.
 */
async function* looks(
  session: Session,
  every: string,
  signal: AbortSignal,
): AsyncGenerator<Look, void> {
  let status: Status | undefined
  let since: Date | undefined
  while (!signal.aborted) {
    try {
      const next = await untilAborted(readStatus(session), signal)
      if (!next) return
      status = next
      since = undefined
      yield { status }
    } catch (error) {
      if (!status) throw error
      since ??= new Date()
      yield { status, away: { since, reason: explain(error) } }
    }
    await sleep(toMs(every as Duration), signal)
  }
}

function frameOptions({ stdout, paint }: Terminal): FrameOptions {
  return { paint, width: stdout.isTTY ? stdout.columns : undefined }
}

/** What the work comes to; undefined as soon as the signal aborts; the work's own result is dropped then. */
async function untilAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
): Promise<Result | undefined> {
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>()
  const onAbort = () => resolve(undefined)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
