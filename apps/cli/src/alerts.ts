import { acknowledgeAlert, listAlerts, type Alert } from '@posthorn/engine/operate'
import { transaction } from '@posthorn/engine'
import type { AlertsOptions } from './commands/alerts.ts'
import { EXIT, type ExitCode } from './exit.ts'
import { operatorName } from './operator.ts'
import { withSession } from './session.ts'
import { renderTable } from './table.ts'
import type { Terminal } from './terminal.ts'
import { duration, oneLine } from './words.ts'

const PAGE = 500

/** Lists alerts, newest first. */
export async function showAlerts(terminal: Terminal, options: AlertsOptions): Promise<ExitCode> {
  const { state, source, code, limit } = options
  return withSession(terminal, options, async ({ db }) => {
    const found: Alert[] = []
    let cursor: string | undefined
    do {
      const page = await listAlerts(db, {
        limit: Math.min(PAGE, limit - found.length),
        ...(state !== 'all' && { state }),
        ...(source !== undefined && { source }),
        ...(code !== undefined && { code }),
        ...(cursor !== undefined && { cursor }),
      })
      found.push(...page.items)
      cursor = page.nextCursor
    } while (cursor !== undefined && found.length < limit)
    if (options.json)
      terminal.printJson({ items: found.map(withNulls), more: cursor !== undefined })
    else if (found.length === 0) terminal.say(`no ${state === 'all' ? '' : `${state} `}alerts`)
    else terminal.print(lines(found, terminal).join('\n'))
    if (cursor !== undefined && !options.json) terminal.say('there are more: raise --limit')
    return EXIT.ok
  })
}

/** Notes for each that the operator has seen it; one that does not exist makes the whole a failure. */
export async function acknowledgeAlerts(
  terminal: Terminal,
  ids: readonly string[],
  options: AlertsOptions,
): Promise<ExitCode> {
  const by = operatorName(options.by, terminal.env)
  return withSession(terminal, options, async ({ pool }) => {
    const seen: Alert[] = []
    const unknown: string[] = []
    for (const id of ids) {
      const alert = await transaction(pool, (tx) => acknowledgeAlert(tx, { id, by }))
      if (alert) seen.push(alert)
      else unknown.push(id)
    }
    if (options.json) terminal.printJson({ items: seen.map(withNulls), unknown })
    else for (const alert of seen) terminal.print(describeAcknowledgement(alert))
    for (const id of unknown) terminal.say(`there is no alert ${oneLine(id)}`)
    return unknown.length === 0 ? EXIT.ok : EXIT.failed
  })
}

const COLUMNS = [
  { title: 'ID', align: 'right' },
  { title: 'AGE', align: 'right' },
  { title: 'STATE' },
  { title: 'SOURCE' },
  { title: 'CODE' },
  { title: 'ABOUT' },
] as const

function lines(alerts: readonly Alert[], { paint, stdout }: Terminal): string[] {
  const rows = alerts.map(({ id, raisedAt, state, source, code, subject, detail }) => [
    id,
    duration((Date.now() - raisedAt.getTime()) / 1_000),
    { text: state, style: state === 'open' ? ('red' as const) : ('none' as const) },
    oneLine(source),
    oneLine(code),
    oneLine(`${subject}: ${detail}`),
  ])
  return renderTable(COLUMNS, rows, { paint, width: stdout.isTTY ? stdout.columns : undefined })
}

function describeAcknowledgement({
  id,
  source,
  code,
  acknowledgedBy,
  acknowledgedAt,
}: Alert): string {
  const when = acknowledgedAt?.toISOString() ?? ''
  return oneLine(`${id} ${source} ${code}: acknowledged by ${acknowledgedBy} at ${when}`)
}

function withNulls(alert: Alert): Record<string, unknown> {
  return Object.fromEntries(Object.entries(alert).map(([name, value]) => [name, value ?? null]))
}
