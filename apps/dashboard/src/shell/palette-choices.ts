import type { Page } from '../pages/page.ts'

/** A line of the palette. */
export interface Choice {
  /** `page`, `action`, or the kind of a thing. */
  readonly kind: string
  readonly title: string
  readonly detail: string
  /** An address of the dashboard. */
  readonly to: string
}

/** What is begun from a page, under the words that people look for. */
const ACTIONS: readonly (Choice & { readonly page: string })[] = [
  action('Place an order', '/sagas', 'sagas'),
  action('Take a payment', '/payments', 'payments'),
  action('Send a message', '/outbound', 'outbound'),
  action('Upload a ZIP', '/file-jobs', 'file-jobs'),
  action('Upload a statement', '/reconciliation', 'reconciliation'),
  action('Create a webhook endpoint', '/webhooks', 'webhooks'),
  action('Retry failed deliveries', '/webhooks/deliveries?status=abandoned', 'webhooks'),
  action('Replay dead letters', '/dead-letters', 'dead-letters'),
  action('Pause or resume an outbox', '/outboxes', 'outboxes'),
  action('Acknowledge incidents', '/incidents', 'incidents'),
  action('Set up notices', '/incidents/notices', 'incidents'),
  action('Move the clock', '/simulators', 'simulators'),
  action('Erase a person', '/retention/erasures', 'retention'),
]

function action(title: string, to: string, page: string) {
  return { kind: 'action', title, detail: '', to, page }
}

const MOST_PAGES = 8

/** What a person may be called: no number and no id. */
const NAME = /^\p{L}[\p{L}@._+-]*$/u

/** What fits the text: things that were found first, then pages and actions, then a search of messages. */
export function choicesOf({
  text,
  pages,
  found,
  searches,
}: {
  text: string
  pages: readonly Page[]
  found: readonly (Choice & { readonly id: string })[]
  /** Whether the user may search messages. */
  searches: boolean
}): Choice[] {
  const names = new Set(pages.map(({ name }) => name))
  const places: Choice[] = [
    ...pages.map(({ name, title, key }) => ({
      kind: 'page',
      title,
      detail: `g ${key}`,
      to: `/${name}`,
    })),
    ...ACTIONS.filter(({ page }) => names.has(page)),
  ]
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const fits = ({ title }: Choice) => words.every((word) => title.toLowerCase().includes(word))
  const searching: Choice[] =
    searches && text.length >= 2
      ? [
          {
            kind: 'search',
            title: `Messages with “${text}”`,
            detail: 'in ids, keys and payloads',
            to: `/messages?search=${encodeURIComponent(text)}`,
          },
          ...(NAME.test(text)
            ? [
                {
                  kind: 'search',
                  title: `What ${text} did`,
                  detail: 'in the audit, by person',
                  to: `/audit?actor=${encodeURIComponent(text)}`,
                },
              ]
            : []),
        ]
      : []
  // Not by the text, which may be an amount: a thing's own id leads to all that belongs to it.
  const first = names.has('journey') ? found.find(({ kind }) => kind !== 'file') : undefined
  const whole: Choice[] =
    first === undefined
      ? []
      : [
          {
            kind: 'journey',
            title: `Journey of ${first.title}`,
            detail: 'all that belongs to it, in order',
            to: `/journey?id=${encodeURIComponent(first.id)}`,
          },
        ]
  return [...found, ...whole, ...places.filter(fits).slice(0, MOST_PAGES), ...searching]
}
