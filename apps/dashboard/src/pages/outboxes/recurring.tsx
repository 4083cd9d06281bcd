import { Badge, Checkbox, Group, Stack, Text } from '@mantine/core'
import { upperFirst } from '@mantine/hooks'
import { useState } from 'react'
import { because, type ItemOf, post, useRead } from '../../api/client.tsx'
import { formatCount } from '../../format/number.ts'
import { ActButton } from '../../parts/act/form.tsx'
import { usePermission } from '../../parts/act/action.tsx'
import { AnchorLink, Panel } from '../../parts/layout/page-frame.tsx'
import { QueryState } from '../../parts/layout/notice.tsx'
import { Time } from '../../parts/show/facts.tsx'

type Item = ItemOf<'/api/v1/outboxes/{name}/recurring'>

/** The messages that an outbox gives itself: when they came, when they come, and who stopped them. */
export function Recurring({ outbox }: { outbox: string }) {
  const { isAllowed } = usePermission('operate-all')
  const query = useRead('/api/v1/outboxes/{name}/recurring', ['outboxes', outbox, 'recurring'], {
    params: { path: { name: outbox } },
    enabled: isAllowed,
    refetchInterval: 10_000,
  })
  if (!isAllowed) return null
  return (
    <Panel title="Recurring">
      <QueryState query={query}>
        {({ items }) => (
          <Stack gap="md">
            {items.length === 0 && (
              <Text size="sm">No relay has loaded the recurring messages yet.</Text>
            )}
            {items.map((item) => (
              <RecurringLine key={item.name} outbox={outbox} item={item} />
            ))}
          </Stack>
        )}
      </QueryState>
    </Panel>
  )
}

interface LineProps {
  readonly outbox: string
  readonly item: Item
}

function RecurringLine(line: LineProps) {
  const { item } = line
  return (
    <Group
      component="article"
      aria-label={item.name}
      justify="space-between"
      align="flex-start"
      gap="xs"
    >
      <Stack gap={2} style={{ flex: '1 1 320px', minWidth: 0 }}>
        <Group gap="xs">
          <Text fw={600} size="sm">
            {item.name}
          </Text>
          {item.pausedAt !== null && (
            <Badge size="sm" variant="default">
              Paused
            </Badge>
          )}
          {item.overdue && (
            <Badge size="sm" color="red.8">
              Overdue
            </Badge>
          )}
        </Group>
        <Text size="sm" title={item.rule}>
          {upperFirst(item.inWords)}
          {item.missed !== null && `. ${MISSED[item.missed]}`}
        </Text>
        <Times {...line} />
        {item.error !== null && (
          <Text size="sm" c="red.9" style={{ overflowWrap: 'anywhere' }}>
            Not enqueued: {item.error}
          </Text>
        )}
      </Stack>
      <Group gap="xs">
        <RunButton {...line} />
        {item.pausedAt === null ? <PauseButton {...line} /> : <ResumeButton {...line} />}
      </Group>
    </Group>
  )
}

const MISSED = {
  latest: 'After an outage, the latest missed run is sent.',
  all: 'After an outage, every missed run is sent.',
  skip: 'Runs missed in an outage are skipped.',
} as const

function Times({ outbox, item }: LineProps) {
  const { nextAt, lastAt, lastMessage, enqueued, pausedAt, pausedBy, pauseReason } = item
  return (
    <Text size="sm" component="div" c="dimmed">
      {pausedAt === null ? (
        <>Next {nextAt === null ? 'never' : <Time at={nextAt} clock="business" ahead />}</>
      ) : (
        <>
          Paused by {pausedBy} <Time at={pausedAt} />
          {pauseReason !== null && `: ${pauseReason}`}
        </>
      )}
      {' · '}
      {lastAt === null ? (
        'Not enqueued yet'
      ) : (
        <>
          Last <Time at={lastAt} clock="business" />
          {lastMessage !== null && (
            <>
              {' '}
              <AnchorLink to="/messages" search={{ outbox, open: `${outbox}:${lastMessage}` }}>
                message
              </AnchorLink>
            </>
          )}
          , {formatCount(enqueued)} in all
        </>
      )}
    </Text>
  )
}

const CHANGES = ['outboxes', 'messages']

function pathOf({ outbox, item }: LineProps) {
  return { path: { name: outbox, recurring: item.name } }
}

/**
 * One more, now. Says what was seen when the dialog opened, whatever the page has learned since, so
 * that two who press it at once enqueue one.
 */
function RunButton({ outbox, item }: LineProps) {
  const [asked, setAsked] = useState(item)
  return (
    <ActButton
      to="operate-all"
      label="Run now"
      title={`Run ${item.name} now?`}
      reason="optional"
      onOpen={() => setAsked(item)}
      run={(reason) =>
        post('/api/v1/outboxes/{name}/recurring/{recurring}/run', {
          ...pathOf({ outbox, item }),
          body: { seen: asked.runAt, ...(reason !== undefined && { reason }) },
        })
      }
      done={() => `${item.name} is enqueued.`}
      changes={CHANGES}
    >
      One message is enqueued for this moment. The schedule stays as it is.
      {asked.runAt !== null && (
        <>
          {' '}
          {asked.runBy} ran it last, <Time at={asked.runAt} />.
        </>
      )}
    </ActButton>
  )
}

function PauseButton({ outbox, item }: LineProps) {
  return (
    <ActButton
      to="operate-all"
      label="Pause"
      title={`Pause ${item.name}?`}
      reason="optional"
      run={(reason) =>
        post('/api/v1/outboxes/{name}/recurring/{recurring}/pause', {
          ...pathOf({ outbox, item }),
          body: because(reason),
        })
      }
      done={({ changed, recurring }) =>
        changed
          ? `${item.name} is paused.`
          : `${item.name} was paused by ${recurring.pausedBy} already.`
      }
      isGood={({ changed }) => changed}
      changes={CHANGES}
    >
      No relay enqueues it until it is resumed. Messages in the outbox are still sent.
    </ActButton>
  )
}

function ResumeButton({ outbox, item }: LineProps) {
  const [skips, setSkips] = useState(false)
  return (
    <ActButton
      to="operate-all"
      label="Resume"
      title={`Resume ${item.name}?`}
      run={() =>
        post('/api/v1/outboxes/{name}/recurring/{recurring}/resume', {
          ...pathOf({ outbox, item }),
          body: skips ? { missed: 'skip' } : {},
        })
      }
      done={({ changed }) => (changed ? `${item.name} resumed.` : `${item.name} was not paused.`)}
      isGood={({ changed }) => changed}
      changes={CHANGES}
    >
      <Stack gap="xs">
        <span>
          {item.missed === null
            ? 'Missed runs are handled as the definition says.'
            : PAUSED[item.missed]}
        </span>
        {item.missed !== 'skip' && (
          <Checkbox
            label="Skip runs missed during the pause"
            checked={skips}
            onChange={({ currentTarget }) => setSkips(currentTarget.checked)}
          />
        )}
      </Stack>
    </ActButton>
  )
}

const PAUSED = {
  latest: 'If it was due during the pause, one message is enqueued at once.',
  all: 'A message is enqueued for each time that it was due during the pause.',
  skip: 'The times of the pause are skipped; the next one is on time.',
} as const
