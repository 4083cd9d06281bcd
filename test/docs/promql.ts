import { parser } from '@prometheus-io/lezer-promql'

/** The names in a query for Prometheus, and where it cannot be read. */
export interface Query {
  /** Metrics with the labels that are asked of each. */
  readonly selectors: readonly { readonly metric: string; readonly labels: readonly string[] }[]
  /** Labels that something is grouped or joined by. */
  readonly grouping: readonly string[]
  readonly problems: readonly string[]
}

/** Reads a query by Prometheus' own grammar. Grafana's interval is not part of it: any length will do. */
export function readQuery(query: string): Query {
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
