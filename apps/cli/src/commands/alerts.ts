import { acknowledgeAlert, listAlerts, type Alert } from '@posthorn/operate'
import { transaction } from '@posthorn/engine'
import { Option } from 'commander'
import {
  collect,
  examples,
  given,
  onDatabase,
  parseCount,
  withJson,
  withName,
  type DatabaseOptions,
  type Define,
} from '../options.ts'
import { EXIT, type ExitCode } from '../errors.ts'
import { operatorOf, withSession } from '../session.ts'
import { renderTable, tableStyle } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { duration, oneLine } from '../terminal/words.ts'

interface AlertsOptions extends DatabaseOptions {
  readonly state: 'open' | 'acknowledged' | 'recovered' | 'all'
  readonly source?: string
  readonly code?: string
  readonly limit: number
  readonly ack?: readonly string[]
  readonly by?: string
}

export const defineAlerts: Define = (command, { terminal, end }) => {
  command
    .addOption(
      new Option('--state <state>', 'only this state')
        .choices(['open', 'acknowledged', 'recovered', 'all'])
        .default('open'),
    )
    .option('--source <name>', 'only this outbox or part of a system')
    .option('--code <code>', 'only this code')
    .option('--limit <n>', 'at most this many', parseCount, 50)
    .option('--ack <id>', 'acknowledge this alert; may be repeated', collect)
  onDatabase(withJson(withName(command))).action(async (options: AlertsOptions) => {
    const { ack } = options
    end(await (ack ? acknowledgeAlerts(terminal, ack, options) : showAlerts(terminal, options)))
  })
  examples(command, [
    'alerts',
    'alerts --source shop.outbox --state all',
    'alerts --ack 17 --ack 18',
  ])
}

const PAGE = 500

async function showAlerts(terminal: Terminal, options: AlertsOptions): Promise<ExitCode> {
  const { source, code, limit } = options
  const state = options.state === 'all' ? undefined : options.state
  return withSession(terminal, options, async ({ db }) => {
    const items: Alert[] = []
    let cursor: string | undefined
    do {
      const page = await listAlerts(db, {
        limit: Math.min(PAGE, limit - items.length),
        ...given({ state, source, code, cursor }),
      })
      items.push(...page.items)
      cursor = page.nextCursor
    } while (cursor !== undefined && items.length < limit)
    const more = cursor !== undefined
    if (options.json) terminal.printJson({ items, more })
    else if (items.length === 0) terminal.say(`no ${state === undefined ? '' : `${state} `}alerts`)
    else terminal.print(lines(items, terminal).join('\n'))
    if (more && !options.json) terminal.say('there are more: raise --limit')
    return EXIT.ok
  })
}

/** Acknowledges each alert; one that does not exist makes the command fail. */
async function acknowledgeAlerts(
  terminal: Terminal,
  ids: readonly string[],
  options: AlertsOptions,
): Promise<ExitCode> {
  const { by } = operatorOf(terminal, options)
  return withSession(terminal, options, async ({ pool }) => {
    const items: Alert[] = []
    const unknown: string[] = []
    for (const id of ids) {
      const alert = await transaction(pool, (tx) => acknowledgeAlert(tx, { id, by }))
      if (alert) items.push(alert)
      else unknown.push(id)
    }
    if (options.json) terminal.printJson({ items, unknown })
    else for (const alert of items) terminal.print(describeAcknowledgement(alert))
    for (const id of unknown) terminal.say(`there is no alert ${oneLine(id)}`)
    return unknown.length === 0 ? EXIT.ok : EXIT.failed
  })
}

const COLUMNS = ['>ID', '>AGE', 'STATE', 'SOURCE', 'CODE', 'ABOUT']

function lines(alerts: readonly Alert[], terminal: Terminal): string[] {
  const rows = alerts.map(({ id, raisedAt, state, source, code, subject, detail }) => [
    id,
    duration((Date.now() - raisedAt.getTime()) / 1_000),
    { text: state, style: state === 'open' ? ('red' as const) : ('none' as const) },
    oneLine(source),
    oneLine(code),
    oneLine(`${subject}: ${detail}`),
  ])
  return renderTable(COLUMNS, rows, tableStyle(terminal))
}

function describeAcknowledgement(alert: Alert): string {
  const { id, source, code, acknowledgedBy, acknowledgedAt } = alert
  const when = acknowledgedAt?.toISOString() ?? ''
  return oneLine(`${id} ${source} ${code}: acknowledged by ${acknowledgedBy} at ${when}`)
}
