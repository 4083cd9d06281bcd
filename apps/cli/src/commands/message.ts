import type { Outbox } from '@posthorn/engine'
import {
  getMessage,
  viewMessage,
  type MessageDetails,
  type MessageView,
  type Transition,
} from '@posthorn/engine/operate'
import type { MessageOptions } from './commands/messages.ts'
import { EXIT, Failure, UsageError, type ExitCode } from './exit.ts'
import { withNulls } from './messages.ts'
import { operatorName } from './operator.ts'
import { outboxNamed, withSession } from './session.ts'
import { renderTable } from './table.ts'
import type { Terminal } from './terminal.ts'
import { oneLine } from './words.ts'

/** Shows all there is to know about one message, without what its definition calls secret. */
export async function showMessage(
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

function revealOf(terminal: Terminal, { by, reason }: MessageOptions) {
  if (reason === undefined) throw new UsageError('--reveal needs --reason: the audit keeps it')
  return { by: operatorName(by, terminal.env), reason }
}

function asJson(details: MessageDetails, view: MessageView) {
  const { row: _, transitions, ...summary } = details
  return {
    ...withNulls(summary),
    message: view.message ?? null,
    destination: view.destination ?? null,
    unreadable: view.unreadable ?? null,
    row: view.row,
    transitions: transitions.map(transitionWithNulls),
  }
}

function transitionWithNulls({ from, attempt, code, error, reason, ...rest }: Transition) {
  return {
    from: from ?? null,
    attempt: attempt ?? null,
    code: code ?? null,
    error: error ?? null,
    reason: reason ?? null,
    ...rest,
  }
}

interface Shown {
  readonly details: MessageDetails
  readonly view: MessageView
  readonly terminal: Terminal
}

function asText(outbox: Outbox, { details, view, terminal }: Shown): string[] {
  const { paint, stdout } = terminal
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
    const style = { paint, width: stdout.isTTY ? stdout.columns : undefined }
    lines.push('', ...renderTable(COLUMNS, details.transitions.map(transitionRow), style))
  }
  return lines
}

const COLUMNS = [{ title: 'AT' }, { title: 'CHANGE' }, { title: 'BY' }, { title: 'WHY' }]

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
