import type { Outbox } from '@posthorn/engine'
import { getMessage, viewMessage, type MessageDetails } from '@posthorn/operate'
import type { MessageView, Transition } from '@posthorn/operate/internal'
import {
  asOperator,
  examples,
  onDatabase,
  withJson,
  type Define,
  type OperatorOptions,
} from '../options.ts'
import { EXIT, Failure, UsageError, type ExitCode } from '../errors.ts'
import { operatorOf, outboxNamed, withSession } from '../session.ts'
import { renderTable, tableStyle } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { oneLine } from '../terminal/words.ts'

interface MessageOptions extends OperatorOptions {
  readonly reveal?: true
}

export const defineMessage: Define = (command, { terminal, end }) => {
  command
    .argument('<outbox>', 'its name, as `posthorn status` shows it')
    .argument('<id>', 'the id of the message')
    .option('--reveal', 'decrypt the payload; needs --reason and is recorded in the audit')
  onDatabase(withJson(asOperator(command))).action(
    async (outbox: string, id: string, options: MessageOptions) =>
      end(await showMessage(terminal, { outbox, id }, options)),
  )
  examples(command, ['message shop.outbox 01980000-0000-7000-8000-000000000001'])
}

/** Shows one message whole, without the fields that its definition calls secret. */
async function showMessage(
  terminal: Terminal,
  wanted: { readonly outbox: string; readonly id: string },
  options: MessageOptions,
): Promise<ExitCode> {
  return withSession(terminal, options, async (session) => {
    const outbox = outboxNamed(session, wanted.outbox)
    const details = await getMessage(session.db, outbox, wanted.id, {
      ...(options.reveal && { reveal: revealOf(terminal, options) }),
    })
    if (!details) throw new Failure(`${outbox.name} has no message ${oneLine(wanted.id)}`)
    const view = viewMessage(outbox, details.row)
    if (options.json) terminal.printJson(asJson(details, view))
    else terminal.print(asText(outbox, { details, view, terminal }).join('\n'))
    return EXIT.ok
  })
}

function revealOf(terminal: Terminal, options: MessageOptions) {
  const { by, reason } = operatorOf(terminal, options)
  if (reason === undefined) throw new UsageError('--reveal needs --reason: the audit keeps it')
  return { by, reason }
}

function asJson(details: MessageDetails, view: MessageView) {
  const { row: _, transitions, ...summary } = details
  return {
    ...summary,
    message: view.message,
    destination: view.destination,
    unreadable: view.unreadable,
    row: view.row,
    transitions: transitions.map(({ from, attempt, code, error, reason, ...rest }) => ({
      ...{ from, attempt, code, error, reason },
      ...rest,
    })),
  }
}

interface Shown {
  readonly details: MessageDetails
  readonly view: MessageView
  readonly terminal: Terminal
}

function asText(outbox: Outbox, { details, view, terminal }: Shown): string[] {
  const { paint } = terminal
  const { message, destination } = view
  const fields: [string, string | undefined][] = [
    ['message', `${details.id} of ${outbox.name}`],
    ['state', stateOf(details)],
    ['label', details.label],
    ['attempts', String(details.attempts)],
    ['type', message?.type ?? details.type],
    ['key', details.key],
    ['tenant', details.tenant],
    ['made', details.createdAt?.toISOString()],
    ['due', details.dueAt?.toISOString()],
    ['claimed until', details.claimedUntil?.toISOString()],
    ['goes to', destination && JSON.stringify(destination)],
    ['error', errorOf(details)],
    ['payload', details.encryption === 'none' ? undefined : details.encryption],
    ['unreadable', view.unreadable],
  ]
  const lines = fields.flatMap(([name, value]) =>
    value === undefined ? [] : [`${paint('dim', name.padEnd(13))}  ${oneLine(value)}`],
  )
  if (message && Object.keys(message.headers).length > 0) {
    lines.push('', paint('dim', 'headers'), ...json(message.headers))
  }
  if (message) lines.push('', paint('dim', 'payload'), ...json(message.payload))
  else lines.push('', paint('dim', 'row'), ...json(view.row))
  if (details.transitions.length > 0) {
    const rows = details.transitions.map(transitionRow)
    lines.push('', ...renderTable(COLUMNS, rows, tableStyle(terminal)))
  }
  return lines
}

const COLUMNS = ['AT', 'CHANGE', 'BY', 'WHY']

function transitionRow({ at, from, to, actor, code, error, reason }: Transition) {
  const why = [code, error, reason].filter((part) => part !== undefined)
  const change = from === undefined ? to : `${from} → ${to}`
  return [at.toISOString(), change, oneLine(actor), oneLine(why.join(': '))]
}

function stateOf({ state, held, quarantinedAt, archivedAt }: MessageDetails): string {
  if (archivedAt) return `${state}, archived ${archivedAt.toISOString()}`
  if (quarantinedAt) return `${state}, quarantined ${quarantinedAt.toISOString()}`
  return held ? `${state}, waits behind an earlier message of its key` : state
}

function errorOf({ error, errorCode }: MessageDetails): string | undefined {
  const parts = [errorCode, error].filter((part) => part !== undefined)
  return parts.length === 0 ? undefined : parts.join(': ')
}

/** JSON escapes what could move the cursor. */
function json(value: unknown): string[] {
  const text = JSON.stringify(value, undefined, 2) ?? 'undefined'
  return text.split('\n').map((line) => `  ${line}`)
}
