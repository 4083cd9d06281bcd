import {
  DeliveryError,
  delivered,
  enqueue,
  refused,
  retryLater,
  transaction,
  type Delivery,
  type Transport,
} from '@posthorn/engine'
import { resume } from '@posthorn/operate'
import { createLog, readConfiguration, startServer } from '@posthorn/server'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'pg'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { withEmptyDatabase } from './empty-database.ts'
import { anchorsOf, page, root, tableRows } from './markdown.ts'
import { makeTrouble, orderEvents, shopEvents } from './shop.ts'
import { format } from 'prettier'
import { parser } from '@prometheus-io/lezer-promql'

/** The names in a query for Prometheus, and where it cannot be read. */
interface Query {
  /** Metrics with the labels that are asked of each. */
  readonly selectors: readonly { readonly metric: string; readonly labels: readonly string[] }[]
  /** Labels that something is grouped or joined by. */
  readonly grouping: readonly string[]
  readonly problems: readonly string[]
}

/** Reads a query by Prometheus' own grammar. Grafana's interval is not part of it: any length will do. */
function readQuery(query: string): Query {
  const text = query.replaceAll('$__rate_interval', '5m')
  const selectors: { metric: string; labels: string[] }[] = []
  const grouping: string[] = []
  const problems: string[] = []
  let isGrouping = false
  parser.parse(text).iterate({
    enter({ type, from, to }) {
      const word = text.slice(from, to)
      if (type.isError) problems.push(`cannot be read at "${text.slice(from, from + 20)}"`)
      if (type.name === 'GroupingLabels') isGrouping = true
      if (type.name === 'VectorSelector') selectors.push({ metric: '', labels: [] })
      const selector = selectors.at(-1)
      if (type.name === 'Identifier' && selector?.metric === '') selector.metric = word
      if (type.name !== 'LabelName') return
      if (isGrouping) grouping.push(word)
      else selector?.labels.push(word)
    },
    leave({ type }) {
      if (type.name === 'GroupingLabels') isGrouping = false
    },
  })
  return { selectors, grouping, problems }
}

/** A rule for Prometheus, as our file has it. */
interface AlertRule {
  readonly alert: string
  readonly expr: string
  readonly severity: string
  readonly annotations: Readonly<Record<string, string>>
}

/** Reads the rules of a file; throws if it is no YAML. Blocks are two spaces in, as we write them. */
async function readRules(text: string): Promise<AlertRule[]> {
  await format(text, { parser: 'yaml' })
  return text
    .split(/^ {6}- (?=alert: )/m)
    .slice(1)
    .map((block) => {
      const fields = fieldsOf(block.replaceAll(/^ {8}/gm, ''))
      return {
        alert: fields['alert'] ?? '',
        expr: fields['expr'] ?? '',
        severity: fieldsOf(fields['labels'] ?? '')['severity'] ?? '',
        annotations: fieldsOf(fields['annotations'] ?? ''),
      }
    })
}

/** The fields of a block: on their own line, or in the deeper lines below. */
function fieldsOf(block: string): Record<string, string> {
  const found = block.matchAll(/^(\w+):[ ]*(.*)((?:\n[ ]+.*|\n(?=\n))*)/gm)
  return Object.fromEntries(
    [...found].map(([, name = '', line = '', below = '']) => {
      const isBlock = line === '' || line === '|-'
      return [name, isBlock ? below.replaceAll(/\n {2}/g, '\n').trim() : unquote(line)]
    }),
  )
}

function unquote(text: string): string {
  return /^'(.*)'$/.exec(text)?.[1]?.replaceAll("''", "'") ?? text
}

/*
 * The dashboard and the alerts go by names. A server in which everything has happened that there is
 * a metric for says which names there are.
 */

interface Panel {
  readonly title: string
  readonly type: string
  readonly description?: string
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[]
}

interface Dashboard {
  readonly panels: readonly Panel[]
  readonly templating: { readonly list: readonly { name: string; definition?: string }[] }
}

const folder = join(root, 'docs/operate')
const dashboard = JSON.parse(
  await readFile(join(folder, 'grafana/posthorn.json'), 'utf8'),
) as Dashboard
const rules = await readRules(await readFile(join(folder, 'prometheus/posthorn.rules.yml'), 'utf8'))

/** Labels of each metric that a page for Prometheus has. */
function metricsOn(text: string): Map<string, Set<string>> {
  const metrics = new Map<string, Set<string>>()
  for (const [, name = '', labels = ''] of text.matchAll(/^([a-z_]\w*)(?:\{(.*)\})? \S+$/gm)) {
    const known = metrics.get(name) ?? new Set()
    for (const [, label = ''] of labels.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)) known.add(label)
    metrics.set(name, known)
  }
  return metrics
}

let known = new Map<string, Set<string>>()

beforeAll(async () => {
  known = await withEmptyDatabase(async (url) => {
    const pool = new Pool({ connectionString: url })
    try {
      await makeTrouble(pool)
      return await metricsOfServer(url, pool)
    } finally {
      await pool.end()
    }
  })
})

async function metricsOfServer(url: string, pool: Pool): Promise<Map<string, Set<string>>> {
  const data = await mkdtemp(join(tmpdir(), 'posthorn-monitoring-'))
  const env = {
    ...{ PORT: '0', DATABASE_URL: url, POSTHORN_DATA_DIR: data },
    POSTHORN_REMOTE_DEVELOPMENT: 'true',
  }
  const server = await startServer(readConfiguration(env, []), {
    systems: [shopWith(brokerOf(pool))],
    log: createLog('silent'),
  })
  try {
    await transaction(pool, async (tx) => {
      for (const type of ['taken', 'refused', 'busy', 'lost'])
        await enqueue(tx, shopEvents, { type })
      await resume(tx, shopEvents, { by: 'ada' })
    })
    return await vi.waitFor(
      async () => {
        const metrics = metricsOn(await (await fetch(`${server.url}/metrics`)).text())
        for (const name of ['delivered', 'failed', 'dead', 'lost_claims', 'unanswered']) {
          expect([...metrics.keys()]).toContain(`posthorn_${name}_total`)
        }
        // The first request is counted when it is answered.
        expect([...metrics.keys()]).toContain('posthorn_http_request_ms_count')
        return metrics
      },
      { timeout: 60_000, interval: 250 },
    )
  } finally {
    await server.close()
    await rm(data, { recursive: true, force: true })
  }
}

function shopWith(broker: Transport) {
  return {
    name: 'shop',
    settings: { type: 'object', properties: {}, required: [] } as never,
    migrations: async () => ({ name: 'shop', migrations: [] }),
    open: () => ({ outboxes: [shopEvents, orderEvents], transports: { broker } }),
  }
}

/** Takes, refuses, is busy, and for one message another relay has it by the time it is settled. */
function brokerOf(pool: Pool): Transport {
  const outcomeOf = async ({ message: { id, type } }: Delivery) => {
    if (type === 'refused') return refused(new DeliveryError('NO', 'no'))
    if (type === 'busy') return retryLater(new DeliveryError('BUSY', 'later'))
    if (type === 'lost') {
      await pool.query('update shop.outbox set claim_token = gen_random_uuid() where id = $1', [id])
    }
    return delivered()
  }
  return {
    deliver: (batch) => Promise.all(batch.map(outcomeOf)),
    close: async () => undefined,
  }
}

/** Prometheus adds these to every series. */
const ADDED = ['instance', 'job']

/** What is wrong with a query, given what there is to ask for. */
function problemsOf(expr: string, legend = ''): string[] {
  const { selectors, grouping, problems } = readQuery(expr)
  const labelsOf = (metric: string) => [...(known.get(metric) ?? []), ...ADDED]
  const all = selectors.flatMap(({ metric }) => labelsOf(metric))
  const shown = [...legend.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, label = '']) => label)
  const isGrouped = grouping.length > 0 || /\b(sum|max|min)\(/.test(expr)
  return [
    ...problems,
    ...(selectors.length === 0 ? ['asks for nothing'] : []),
    ...selectors.filter(({ metric }) => !known.has(metric)).map(({ metric }) => `no ${metric}`),
    ...selectors.flatMap(({ metric, labels }) =>
      labels
        .filter((label) => !labelsOf(metric).includes(label))
        .map((label) => `no label ${label} of ${metric}`),
    ),
    ...grouping.filter((label) => !all.includes(label)).map((label) => `no label ${label}`),
    ...shown
      .filter((label) => !(isGrouped ? grouping : all).includes(label))
      .map((label) => `no label ${label} to show`),
  ]
}

describe('the dashboard', () => {
  const panels = dashboard.panels.filter(({ type }) => type !== 'row')

  test('has panels, each with a title, a sentence and a query', () => {
    expect(panels.length).toBeGreaterThan(20)
    for (const { title, description, targets } of panels) {
      expect([title, description?.endsWith('.'), (targets ?? []).length > 0]).toEqual([
        title,
        true,
        true,
      ])
    }
  })

  test.each(panels)('$title asks for what there is', ({ targets = [] }) => {
    expect(targets.flatMap(({ expr, legendFormat }) => problemsOf(expr, legendFormat))).toEqual([])
  })

  test('offers the outboxes that there are', () => {
    const { definition = '' } =
      dashboard.templating.list.find(({ name }) => name === 'outbox') ?? {}
    const [, metric = '', label = ''] = /^label_values\((\w+), (\w+)\)$/.exec(definition) ?? []
    expect(known.get(metric)).toContain(label)
  })

  test('shows every metric of ours', () => {
    const shown = panels
      .flatMap(({ targets = [] }) => targets)
      .flatMap(({ expr }) => readQuery(expr).selectors.map(({ metric }) => baseOf(metric)))
    const ours = [...known.keys()].filter((name) => name.startsWith('posthorn_')).map(baseOf)
    expect([...new Set(ours)].filter((name) => !shown.includes(name))).toEqual([])
  })
})

/** A histogram is three metrics. */
function baseOf(metric: string): string {
  return metric.replace(/_(bucket|sum|count)$/, '')
}

describe('the alerts', () => {
  test('are there, each with its own name', () => {
    expect(rules.length).toBeGreaterThan(15)
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
  })

  test('are all on the page that explains them', () => {
    const listed = tableRows(page('docs/operate/grafana.md').text, 'Alerts').flatMap(
      ([name = '']) => /^`(\w+)`$/.exec(name)?.[1] ?? [],
    )
    expect(listed).toEqual(rules.map(({ alert }) => alert))
  })

  test.each(rules)('$alert asks for what there is, and says what to do', (rule) => {
    const { expr, severity, annotations } = rule
    const { summary = '', description = '', runbook = '' } = annotations
    expect(problemsOf(expr)).toEqual([])
    expect(['critical', 'warning', 'info']).toContain(severity)
    expect([summary, description]).not.toContain('')
    const [path = '', anchor = ''] = runbook.split('#')
    expect(path).toBe('docs/operate/troubleshooting.md')
    expect([...anchorsOf(page(path))]).toContain(anchor)
    const { selectors, grouping } = readQuery(expr)
    const labels = [
      ...grouping,
      ...selectors.flatMap(({ metric }) => [...(known.get(metric) ?? [])]),
    ]
    for (const [, label = ''] of `${summary} ${description}`.matchAll(/\$labels\.(\w+)/g)) {
      expect([...labels, ...ADDED]).toContain(label)
    }
  })
})

describe('a query that is wrong', () => {
  test.each([
    ['max by (outbox) (posthorn_relay)', 'no posthorn_relay'],
    ['posthorn_relays{queue="x"}', 'no label queue of posthorn_relays'],
    ['max by (queue) (posthorn_relays)', 'no label queue'],
    ['sum(rate(posthorn_delivered_total[5m])', 'cannot be read at ""'],
    ['rate(posthorn_delivered_total[soon])', 'cannot be read at "soon])"'],
    ['posthorn_relays ? 1', 'cannot be read at "? 1"'],
    ['avg_of(posthorn_relays)', 'no avg_of'],
  ])('%s is found', (expr, problem) => {
    expect(problemsOf(expr)).toContain(problem)
  })

  test('a legend that shows what was summed away is found', () => {
    expect(problemsOf('sum by (outbox) (posthorn_messages)', '{{state}}')).toEqual([
      'no label state to show',
    ])
  })
})
