import { transaction } from '@posthorn/engine'
import { listPaused, pause, resume } from '@posthorn/operate'
import type { Command } from 'commander'
import {
  asOperator,
  examples,
  onDatabase,
  withJson,
  type Context,
  type Define,
  type OperatorOptions,
} from '../options.ts'
import { EXIT, type ExitCode } from '../errors.ts'
import { operatorOf, outboxNamed, withSession } from '../session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { duration, oneLine } from '../terminal/words.ts'

type Target = 'paused' | 'running'

export const definePause: Define = (command, context) => {
  define(command, context, 'paused')
  examples(command, ["pause shop.outbox --reason 'warehouse maintenance'"])
}

export const defineResume: Define = (command, context) => {
  define(command, context, 'running')
  examples(command, ['resume shop.outbox'])
}

function define(command: Command, { terminal, end }: Context, to: Target): void {
  command.argument('<outbox>', 'its name, as `posthorn status` shows it')
  onDatabase(withJson(asOperator(command))).action(
    async (outbox: string, options: OperatorOptions) =>
      end(await change(terminal, { outbox, to }, options)),
  )
}

/** Pauses or resumes the claims of an outbox; says by whom it was paused before. */
function change(
  terminal: Terminal,
  { outbox: name, to }: { readonly outbox: string; readonly to: Target },
  options: OperatorOptions,
): Promise<ExitCode> {
  return withSession(terminal, options, async (session) => {
    const outbox = outboxNamed(session, name)
    const before = await transaction(session.pool, async (tx) => {
      const found = (await listPaused(tx)).find((each) => each.outbox === outbox.name)
      await (to === 'paused' ? pause : resume)(tx, outbox, operatorOf(terminal, options))
      return found
    })
    const changed = (to === 'paused') === (before === undefined)
    if (options.json) terminal.printJson({ outbox: outbox.name, paused: to === 'paused', changed })
    else terminal.print(`${outbox.name} ${describeChange(to, before)}`)
    return EXIT.ok
  })
}

type Pause = Awaited<ReturnType<typeof listPaused>>[number]

function describeChange(to: Target, before: Pause | undefined): string {
  if (to === 'paused') return before ? `is paused already, ${describePause(before)}` : 'is paused'
  return before ? `resumed; it was paused ${describePause(before)}` : 'was not paused'
}

function describePause({ pausedAt, pausedBy, reason }: Pause): string {
  const since = duration((Date.now() - pausedAt.getTime()) / 1_000)
  return oneLine(`by ${pausedBy} ${since} ago${reason === undefined ? '' : `, ${reason}`}`)
}
