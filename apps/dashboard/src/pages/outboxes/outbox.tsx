import { Group, Stack, Text } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { because, type ItemOf, post, useRead } from '../../api/client.tsx'
import { DeliveryCharts } from '../../charts/delivery-charts.tsx'
import { formatCount, formatDuration, formatRate, formatShare } from '../../format/number.ts'
import { useFresh } from '../../live/use-fresh.ts'
import { ActButton } from '../../parts/act/form.tsx'
import { AnchorLink, ButtonLink, PageFrame, Panel } from '../../parts/layout/page-frame.tsx'
import { Empty, QueryState } from '../../parts/layout/notice.tsx'
import { CopyId, Stat, StatStrip, Time } from '../../parts/show/facts.tsx'
import { Timeline, type TimelineEntry } from '../../parts/show/states.tsx'
import { brokenDestinations, causeOf, type OutboxItem, useOverview } from '../overview/trouble.ts'
import { Definition } from './definition.tsx'
import { Picture } from './outboxes.tsx'
import { Recurring } from './recurring.tsx'
import { RelayTable } from './relays.tsx'

/** One outbox: its picture, who works on it, what waits, and how it is defined. */
export function Outbox() {
  const { name = '' } = useParams({ strict: false }) as { name?: string }
  const query = useRead('/api/v1/outboxes/{name}', ['outboxes', name, 'shown'], {
    params: { path: { name } },
    refetchInterval: 10_000,
  })
  useFresh(['outboxes', name], (event) => event.kind !== 'announcement' && event.outbox === name)
  return (
    <QueryState query={query}>
      {({ oldestUndeliveredSeconds: oldest, ...outbox }) => (
        <PageFrame
          title={name}
          lead={outbox.paused ? pausedSentence(outbox) : <Standing name={name} />}
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
            <Stat label="Due" value={formatCount(outbox.due)} hint="to be sent now" />
            <Stat label="Retrying" value={formatCount(outbox.retrying)} hint="failed before" />
            <Stat label="Postponed" value={formatCount(outbox.postponed)} hint="not tried yet" />
            <Stat label="Scheduled" value={formatCount(outbox.scheduled)} hint="due later" />
            <Stat
              label="Oldest pending"
              value={oldest === 0 ? 'none' : formatDuration(oldest * 1_000)}
              hint="since its commit"
              tone={outbox.oldestDueSeconds > 60 ? 'warning' : 'normal'}
            />
            <Stat label="Rate" value={formatRate(outbox.perSecond ?? 0)} hint="last minute" />
            <Stat label="Failing" value={formatShare(outbox.failureRate ?? 0)} hint="last minute" />
            <Wrong label="Blocked keys" count={outbox.blockedKeys ?? 0} />
            <Wrong label="Quarantined" count={outbox.quarantined ?? 0} />
          </StatStrip>
          <Panel title="States">
            <Picture name={name} />
          </Panel>
          <DeliveryCharts outbox={name} />
          <Workers name={name} />
          <Definition definition={outbox.definition} />
          {Object.keys(outbox.definition['recurring'] ?? {}).length > 0 && (
            <Recurring outbox={name} />
          )}
          {(outbox.heldKeys ?? 0) + (outbox.blockedKeys ?? 0) > 0 && <HeldKeys name={name} />}
          <Recent name={name} />
        </PageFrame>
      )}
    </QueryState>
  )
}

/** What should not be there: a tile only where it is. */
function Wrong({ label, count }: { label: string; count: number }) {
  return count === 0 ? null : <Stat label={label} value={formatCount(count)} tone="bad" />
}

function pausedSentence({
  pausedBy,
  pauseReason,
}: Pick<OutboxItem, 'pausedBy' | 'pauseReason'>): string {
  const by = pausedBy === null ? '' : ` by ${pausedBy}`
  return `Paused${by}${pauseReason === null ? '' : `: ${pauseReason}`}. Relays claim nothing.`
}

/** Stops an outbox everywhere, or lets it go on. */
function PauseButton({ name, isPaused }: { name: string; isPaused: boolean }) {
  const params = { path: { name } }
  if (isPaused) {
    return (
      <ActButton
        to="operate-all"
        key="resume"
        label="Resume"
        title={`Resume ${name}?`}
        run={() => post('/api/v1/outboxes/{name}/resume', { ...params })}
        done={() => `${name} resumed.`}
        changes={['outboxes', 'overview']}
      >
        Relays claim everything that became due meanwhile.
      </ActButton>
    )
  }
  return (
    <ActButton
      to="operate-all"
      key="pause"
      label="Pause"
      title={`Pause ${name}?`}
      reason="optional"
      run={(reason) => post('/api/v1/outboxes/{name}/pause', { ...params, body: because(reason) })}
      done={() => `${name} is paused.`}
      changes={['outboxes', 'overview']}
    >
      Relays stop claiming from it until it is resumed; messages in flight finish. New messages are
      still accepted.
    </ActButton>
  )
}

/** Whether messages can go out at all, in a sentence. */
function Standing({ name }: { name: string }) {
  const found = useOverview().data?.outboxes.find((outbox) => outbox.name === name)
  if (found === undefined) return 'Running.'
  if (found.alive.length === 0) return 'No relay is running: nothing is sent.'
  const broken = brokenDestinations(found.breakers)
  if (broken.length === 0) return 'Running.'
  const names = broken.map((breaker) => breaker.name ?? breaker.destination)
  const which = names.length === 1 ? names[0] : `${names.length} destinations`
  return found.perSecond === 0
    ? `Nothing is delivered: ${which} is down.`
    : `Running, except to ${which}.`
}

/** The relays that are alive, and what they do not try at present. */
function Workers({ name }: { name: string }) {
  const query = useOverview()
  return (
    <Panel title="Relays">
      <QueryState query={query}>
        {({ outboxes }) => {
          const found = outboxes.find((outbox) => outbox.name === name)
          return (
            <Stack gap={8}>
              <RelayTable relays={found?.alive ?? []} />
              {found?.breakers.map((breaker) => (
                <BreakerLine key={`${breaker.relay} ${breaker.destination}`} breaker={breaker} />
              ))}
            </Stack>
          )
        }}
      </QueryState>
    </Panel>
  )
}

const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })

/** A destination that is not tried: since when, until when, and why. */
function BreakerLine({ breaker }: { breaker: OutboxItem['breakers'][number] }) {
  const { destination, name, openSince, nextProbeAt } = breaker
  return (
    <Text size="sm" component="div" style={{ overflowWrap: 'anywhere' }}>
      <strong>{name ?? destination}</strong>
      <br />
      Circuit open since {CLOCK.format(new Date(openSince))}
      {nextProbeAt !== null && (
        <>
          , next probe <Time at={nextProbeAt} ahead />
        </>
      )}
      . {causeOf(breaker)}
    </Text>
  )
}

/** Keys whose messages wait behind an earlier one. */
function HeldKeys({ name }: { name: string }) {
  const query = useRead('/api/v1/outboxes/{name}/keys', ['outboxes', name, 'keys'], {
    params: { path: { name } },
  })
  return (
    <Panel title="Waiting keys">
      <QueryState query={query}>
        {({ items }) => (
          <Stack gap={8}>
            {items.map(({ key, blocked, dueAt, heldBy, heldAt }) => (
              <Group key={key} justify="space-between" gap="xs">
                <Text size="sm" component="div">
                  <CopyId id={key} what="key" />{' '}
                  {blocked ? 'is blocked behind the dead message ' : 'waits behind '}
                  <CopyId id={heldBy} shown={18} what="message id" /> since <Time at={heldAt} />
                  {dueAt !== null && (
                    <>
                      ; tried again <Time at={dueAt} clock="business" ahead />
                    </>
                  )}
                </Text>
                {blocked && (
                  <ActButton
                    to="operate-all"
                    label="Unblock"
                    title={`Unblock ${key}?`}
                    run={() =>
                      post('/api/v1/outboxes/{name}/keys/{key}/unblock', { path: { name, key } })
                    }
                    done={() => `${key} continues without the dead message.`}
                    changes={['outboxes', 'overview']}
                  >
                    Messages behind it are sent; the dead message stays dead and can be replayed
                    later, out of order.
                  </ActButton>
                )}
              </Group>
            ))}
          </Stack>
        )}
      </QueryState>
    </Panel>
  )
}

type Entry = ItemOf<'/api/v1/audit'>

/** What happened in an outbox last. */
function Recent({ name }: { name: string }) {
  const query = useRead('/api/v1/audit', ['outboxes', name, 'recent'], {
    params: { query: { outbox: name, limit: 20 } },
  })
  return (
    <Panel title="Recent events">
      <QueryState query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="Nothing yet">Message transitions appear here.</Empty>
          ) : (
            <Timeline entries={items.map((entry) => entryOf(name, entry))} />
          )
        }
      </QueryState>
    </Panel>
  )
}

function entryOf(name: string, entry: Entry): TimelineEntry {
  if (entry.kind === 'operation') {
    const reason = entry.reason === null ? '' : `: ${entry.reason}`
    return {
      id: entry.id,
      at: entry.at,
      what: `${entry.actor}: ${entry.operation} ${entry.subject}${reason}`,
    }
  }
  return {
    id: entry.id,
    at: entry.at,
    what: (
      <>
        {entry.from ?? 'new'} → {entry.to}{' '}
        <AnchorLink
          size="sm"
          to="/messages"
          search={{ outbox: name, open: `${name}:${entry.messageId}` }}
        >
          {entry.messageId.slice(0, 18)}
        </AnchorLink>
      </>
    ),
    ...(entry.error !== null && { details: `${entry.code ?? ''} ${entry.error}`.trim() }),
  }
}
