import { Grid, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { formatDuration } from '../../format/duration.ts'
import { formatCount, formatRate, formatShare } from '../../format/number.ts'
import { useFresh } from '../../live/use-fresh.ts'
import { ButtonLink } from '../../parts/links.tsx'
import { PageFrame } from '../../parts/page-frame.tsx'
import { Panel } from '../../parts/panel.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import { Stat, StatStrip } from '../../parts/stat.tsx'
import { Definition } from './definition.tsx'
import { HeldKeys } from './held-keys.tsx'
import { PauseButton } from './pause-button.tsx'
import { Picture } from './picture.tsx'
import { Recent } from './recent.tsx'
import { Workers } from './workers.tsx'

/** One outbox: its picture, who works on it, what waits, and how it is defined. */
export function Outbox() {
  const { name = '' } = useParams({ strict: false }) as { name?: string }
  const api = useApi()
  const query = useQuery({
    queryKey: ['outboxes', name, 'shown'],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/outboxes/{name}', { params: { path: { name } }, signal })),
    refetchInterval: 10_000,
  })
  useFresh(['outboxes', name], (event) => event.kind !== 'news' && event.outbox === name)
  return (
    <QueryState query={query}>
      {(outbox) => (
        <PageFrame
          title={name}
          lead={outbox.paused ? pausedSentence(outbox) : 'Running.'}
          actions={
            <Group gap="xs">
              <ButtonLink variant="default" to="/messages" search={{ outbox: name }}>
                Messages
              </ButtonLink>
              <PauseButton name={name} isPaused={outbox.paused} />
            </Group>
          }
        >
          <StatStrip>
            <Stat label="Due" value={formatCount(outbox.due)} />
            <Stat
              label="Oldest due"
              value={outbox.due === 0 ? 'none' : formatDuration(outbox.oldestDueSeconds * 1_000)}
              tone={outbox.oldestDueSeconds > 60 ? 'warning' : 'normal'}
            />
            <Stat label="Rate" value={formatRate(outbox.perSecond)} />
            <Stat label="Failing" value={formatShare(outbox.failureRate)} hint="of attempts" />
            <Stat
              label="Blocked keys"
              value={formatCount(outbox.blockedKeys)}
              tone={outbox.blockedKeys > 0 ? 'bad' : 'normal'}
            />
            <Stat
              label="Quarantined"
              value={formatCount(outbox.quarantined)}
              tone={outbox.quarantined > 0 ? 'bad' : 'normal'}
            />
          </StatStrip>
          <Panel title="States">
            <Picture name={name} />
          </Panel>
          <Grid gap="md">
            <Grid.Col span={{ base: 12, lg: 6 }}>
              <Workers name={name} />
            </Grid.Col>
            <Grid.Col span={{ base: 12, lg: 6 }}>
              <Definition definition={outbox.definition} />
            </Grid.Col>
          </Grid>
          {(outbox.heldKeys > 0 || outbox.blockedKeys > 0) && <HeldKeys name={name} />}
          <Recent name={name} />
        </PageFrame>
      )}
    </QueryState>
  )
}

interface PauseFacts {
  readonly pausedBy: string | null
  readonly pauseReason: string | null
}

function pausedSentence({ pausedBy, pauseReason }: PauseFacts): string {
  const by = pausedBy === null ? '' : ` by ${pausedBy}`
  return `Paused${by}${pauseReason === null ? '' : `: ${pauseReason}`}. Relays claim nothing.`
}
