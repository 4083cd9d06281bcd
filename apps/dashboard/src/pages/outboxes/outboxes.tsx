import { SimpleGrid, Text } from '@mantine/core'
import { useRead } from '../../api/api-context.tsx'
import { formatCount, formatRate } from '../../format/number.ts'
import { useFresh } from '../../live/use-fresh.ts'
import { AnchorLink } from '../../parts/layout/links.tsx'
import { QueryState } from '../../parts/layout/notice.tsx'
import { PageFrame } from '../../parts/layout/page-frame.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { Picture } from './picture.tsx'

/** Every outbox as its picture. */
export function Outboxes() {
  const query = useRead('/api/v1/outboxes', ['outboxes', 'list'], { refetchInterval: 10_000 })
  useFresh(['outboxes', 'list'], ({ kind }) => kind !== 'announcement')
  return (
    <PageFrame
      title="Outboxes"
      lead="Each outbox is a table of messages: how many are in each state, and how many move between states."
    >
      <QueryState query={query}>
        {({ items }) => (
          <SimpleGrid cols={1} spacing="md">
            {items.map(({ name, perSecond, due, paused }) => (
              <Panel
                key={name}
                title={name}
                actions={
                  <AnchorLink to="/outboxes/$name" params={{ name }} aria-label={`Open ${name}`}>
                    Open
                  </AnchorLink>
                }
              >
                <Text size="sm" c="dimmed" mb="xs">
                  {paused ? 'Paused. ' : ''}
                  {perSecond !== null && `${formatRate(perSecond)}, `} {formatCount(due)} due
                </Text>
                <Picture name={name} />
              </Panel>
            ))}
          </SimpleGrid>
        )}
      </QueryState>
    </PageFrame>
  )
}
