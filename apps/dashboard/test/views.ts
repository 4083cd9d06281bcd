import type { Page } from '../src/pages/page.ts'
import type { ShownView } from './harness/world.ts'

/** The operators' views. */
export const VIEWS: readonly ShownView[] = [
  ['overview', '/overview', 'Oldest pending'],
  ['outboxes', '/outboxes', 'Outboxes'],
  ['relays', '/outboxes/relays', 'Longest block'],
  ['outbox', '/outboxes/post.parcels', 'Definition'],
  ['messages', '/messages', 'Messages'],
  ['message', '/messages?open=post.parcels::refused', 'Attempt 1'],
  ['dead-letters', '/dead-letters?outbox=post.parcels', 'Replay all'],
  ['consumers', '/consumers', 'Consumers'],
  ['alerts', '/alerts?open=:alert', 'Three claims of this message alone were lost'],
  ['incidents', '/incidents', 'Alerts grouped by their cause'],
  ['notices', '/incidents/notices', 'No channels yet'],
  ['audit', '/audit', 'Audit'],
  ['audit-entries', '/audit/entries', 'User actions in'],
  ['retention', '/retention', 'Kept for'],
  ['legal-holds', '/retention/holds', 'Place a hold'],
  ['erasures', '/retention/erasures', 'Erase a person'],
  ['journey', '/journey', 'Enter an id'],
  ['simulators', '/simulators', 'Business clock'],
  ['simulator', '/simulators/carrier', 'carrier'],
  ['demo', '/demo', 'Demo'],
]

/** The views of pages that are not among these. */
export function viewsMissing(
  pages: readonly Pick<Page, 'name' | 'views'>[],
  shown: readonly ShownView[],
): string[] {
  const patterns = pages.flatMap(({ name, views }) =>
    Object.keys(views).map((view) => {
      const path = [name, ...(view === '' ? [] : view.split('/'))]
      return `/${path.map((part) => (part.startsWith('$') ? '[^/?]+' : part)).join('/')}`
    }),
  )
  const paths = shown.map(([, path]) => path.split('?')[0] ?? '')
  return patterns.filter((pattern) => !paths.some((path) => new RegExp(`^${pattern}$`).test(path)))
}
