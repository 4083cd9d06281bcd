import { Group, SegmentedControl, Select, Stack, Text } from '@mantine/core'
import { type ItemOf, post, useRead } from '../../api/client.tsx'
import { CodeNote } from '../../codes/code-note.tsx'
import { formatCount } from '../../format/number.ts'
import { useFresh } from '../../live/use-fresh.ts'
import { BulkButton } from '../../parts/act/bulk-button.tsx'
import { oneOf, useFilter } from '../../parts/act/filter-bar.tsx'
import { PermittedButton, useAction } from '../../parts/act/action.tsx'
import { ActButton } from '../../parts/act/form.tsx'
import { AnchorLink, PageFrame } from '../../parts/layout/page-frame.tsx'
import { Empty, QueryState } from '../../parts/layout/notice.tsx'
import { Age, KeyValue, Time, timeFact } from '../../parts/show/facts.tsx'
import { StateBadge } from '../../parts/show/states.tsx'
import { type Column, column } from '../../parts/table/columns.tsx'
import { FilteredTable } from '../../parts/table/list-page.tsx'
import { useClaims } from '../../session/session-context.tsx'
import type { StateRole } from '../../states/role.ts'
import { firstOf, useContents, type Web } from '../../systems.tsx'

const STATES = ['open', 'snoozed', 'closed'] as const

const ROLES: Readonly<Record<Incident['state'], StateRole>> = {
  open: 'dead',
  snoozed: 'retry',
  closed: 'confirmed',
}

const COLUMNS: readonly Column<Incident>[] = [
  column.state('state', 'State', { roles: ROLES, width: '110px' }),
  column.text('code', 'Code', { width: 'minmax(120px, 1.4fr)' }),
  column.text('source', 'Source', { width: 'minmax(120px, 1.4fr)' }),
  column.text('detail', 'Detail', { order: 'none', width: 'minmax(0, 2.4fr)', narrow: 'hidden' }),
  column.count('standing', 'Open alerts', { width: '90px' }),
  column.text('owner', 'Assigned to', { none: '–', narrow: 'hidden', width: '100px' }),
  {
    id: 'acknowledged',
    title: 'Acknowledged',
    width: '210px',
    cell: ({ acknowledgedBy, acknowledgedAt, openedAt }) =>
      acknowledgedBy === null ? (
        <>
          unacknowledged for <Age of={openedAt} />
        </>
      ) : (
        <>
          by {acknowledgedBy} <Time at={acknowledgedAt} />
        </>
      ),
  },
]

const CHANGED = ['incidents', 'alerts', 'overview']

/** Without events the page still looks now and then: alerts are grouped every few seconds. */
const EVERY_MS = 5_000

/** What is wrong, one entry for each cause. */
export function Incidents() {
  const filter = useFilter({ state: oneOf(STATES) })
  const state = filter.values.state ?? 'open'
  const query = useRead('/api/v1/incidents', ['incidents', 'list'], { refetchInterval: EVERY_MS })
  useFresh(['incidents'], ({ kind }) => kind === 'operation')
  return (
    <PageFrame
      lead="Alerts grouped by their cause. An incident closes by itself when all its alerts have ended."
      actions={
        <SegmentedControl
          aria-label="State"
          data={STATES.map((value) => ({ value, label: value }))}
          value={state}
          onChange={(value) => filter.set({ state: value })}
        />
      }
    >
      <QueryState query={query}>
        {({ items }) => {
          const listed = items.filter((each) => each.state === state)
          return (
            <>
              <AcknowledgeAll incidents={listed.filter((each) => each.acknowledgedBy === null)} />
              <FilteredTable
                label="Incidents"
                list={listed}
                columns={COLUMNS}
                empty={
                  <Empty title={`No ${state} incidents`}>
                    {state === 'open' ? 'No action needed.' : 'None in this state.'}
                  </Empty>
                }
                drawer="Incident"
                renderDetails={(id) => {
                  const incident = items.find((each) => each.id === id)
                  return incident && <Details incident={incident} />
                }}
              />
            </>
          )
        }}
      </QueryState>
    </PageFrame>
  )
}

/** For those who come to a night's worth of them. */
function AcknowledgeAll({ incidents }: { incidents: readonly Incident[] }) {
  const open = incidents.filter(({ state }) => state === 'open')
  if (open.length < 2) return null
  return (
    <Group>
      <BulkButton
        to="operate"
        rows={open}
        which="shown"
        verb="Acknowledge"
        past="acknowledged"
        nouns={['incident', 'incidents']}
        changes={CHANGED}
        nameOf={({ code, source }) => `${code} in ${source}`}
        onDone={() => undefined}
        run={({ id }) => post('/api/v1/incidents/{id}/acknowledge', { path: { id } })}
      >
        Others see that you have seen them. They close by themselves when their alerts end.
      </BulkButton>
    </Group>
  )
}

function Details({ incident }: { incident: Incident }) {
  const { source, code, detail, owner, acknowledgedBy, acknowledgedAt } = incident
  return (
    <Stack gap="md">
      <Text>{detail ?? 'Its alerts are no longer kept.'}</Text>
      <CodeNote code={code} />
      <KeyValue
        facts={{
          State: <StateBadge state={incident.state} role={ROLES[incident.state]} />,
          Source: source,
          Code: code,
          Organisation: incident.tenant ?? undefined,
          Since: <Time at={incident.openedAt} />,
          Closed: timeFact(incident.closedAt),
          Alerts: `${formatCount(incident.standing)} open of ${formatCount(incident.alerts)}`,
          'Newest alert': <Time at={incident.lastAt} />,
          Trend: trendText(incident),
          Owner: owner ?? 'none',
          Acknowledged:
            acknowledgedBy === null ? (
              'no'
            ) : (
              <>
                by {acknowledgedBy} <Time at={acknowledgedAt} />
              </>
            ),
          'Snoozed until': timeFact(incident.snoozedUntil),
        }}
      />
      {incident.state !== 'closed' && <Actions incident={incident} />}
      <Group gap="md">
        <AnchorLink to={placeOf(incident, useContents().webs)}>View source</AnchorLink>
        <AnchorLink to={alertsOf(incident)}>View alerts</AnchorLink>
      </Group>
    </Stack>
  )
}

const SNOOZES = [
  { value: '30', label: 'for 30 min' },
  { value: '240', label: 'for 4 h' },
  { value: '1440', label: 'for a day' },
]

function Actions({ incident }: { incident: Incident }) {
  const { sub } = useClaims()
  const { id, owner, acknowledgedBy, state } = incident
  const params = { path: { id } }
  const next = owner === sub ? null : sub
  const snooze = useAction({
    run: (minutes: number) =>
      post('/api/v1/incidents/{id}/snooze', { ...params, body: { minutes } }),
    done: (_, minutes) => (minutes === 0 ? 'Snooze ended.' : 'Incident snoozed.'),
    changes: CHANGED,
  })
  return (
    <Group gap="xs" align="flex-end">
      <ActButton
        to="operate"
        label="Acknowledge"
        button={{ variant: 'filled', disabled: acknowledgedBy !== null }}
        run={() => post('/api/v1/incidents/{id}/acknowledge', params)}
        done={() => 'Incident acknowledged.'}
        changes={CHANGED}
      />
      <ActButton
        to="operate"
        label={next === null ? 'Unassign me' : 'Assign to me'}
        run={() => post('/api/v1/incidents/{id}/assign', { ...params, body: { owner: next } })}
        done={() => (next === null ? 'Incident unassigned.' : `Assigned to ${next}.`)}
        changes={CHANGED}
      />
      {state === 'snoozed' ? (
        <PermittedButton to="operate" variant="default" onClick={() => snooze.mutate(0)}>
          End snooze
        </PermittedButton>
      ) : (
        <Select
          aria-label="Snooze"
          placeholder="Snooze"
          w={130}
          data={SNOOZES}
          value={null}
          onChange={(value) => value !== null && snooze.mutate(Number(value))}
        />
      )}
    </Group>
  )
}

export type Incident = ItemOf<'/api/v1/incidents'>

/** Whether more of it came in the last hour than in the one before, in words. */
export function trendText({ trend, lastHour, hourBefore }: Incident): string {
  if (trend === 'steady') return `steady: ${lastHour} in the last hour`
  return `${trend}: ${lastHour} in the last hour, ${hourBefore} in the hour before`
}

/** Where all alerts of an incident are listed. */
function alertsOf({ source, code }: Incident): string {
  return `/alerts?source=${encodeURIComponent(source)}&code=${encodeURIComponent(code)}`
}

/** Codes that say how an outbox is, not how one of its messages ended. */
const CONDITIONS = new Set(['DESTINATION_DOWN', 'OUTBOX_BEHIND', 'OUTBOX_STALLED', 'MESSAGE_STUCK'])

/** Where to mend it: the page that a system names, an outbox's dead letters, or the alerts. */
export function placeOf(incident: Incident, webs: readonly Web[]): string {
  const { source, code } = incident
  if (source.includes('/')) return '/consumers'
  const page = firstOf(webs, ({ alertPage }) => alertPage?.({ source, code }))
  if (page !== undefined) return page
  if (CONDITIONS.has(code)) return `/outboxes/${encodeURIComponent(source)}`
  return source.includes('.')
    ? `/dead-letters?outbox=${encodeURIComponent(source)}&code=${encodeURIComponent(code)}`
    : alertsOf(incident)
}
