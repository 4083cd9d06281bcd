import { Alert, Badge, Grid, Stack, Text } from '@mantine/core'
import { formatDuration } from '../../format/number.ts'
import { field, FilterBar, useFilter } from '../../parts/act/filter-bar.tsx'
import { useRefresh } from '../../parts/act/action.tsx'
import { AnchorLink, PageFrame, Panel } from '../../parts/layout/page-frame.tsx'
import { Empty, QueryState } from '../../parts/layout/notice.tsx'
import { type JourneyOfThing, useJourney } from '../../parts/layout/related.tsx'
import { CopyId } from '../../parts/show/facts.tsx'
import { Timeline, type TimelineEntry } from '../../parts/show/states.tsx'

const FILTER = { id: field.text('Id or case') }

/** One business thing across all systems. */
export function Journey() {
  const filter = useFilter(FILTER)
  const { id } = filter.values
  return (
    <PageFrame
      title="Journey"
      lead="One business thing across all systems: what belongs to it, and what happened when."
    >
      <FilterBar filter={filter} fields={FILTER} />
      {id === undefined ? (
        <Empty title="Enter an id">
          The id of anything in your organisation, or a reference that it has elsewhere. Pages of
          these things link here too, under “Elsewhere”.
        </Empty>
      ) : (
        <Way key={id} id={id} />
      )}
    </PageFrame>
  )
}

function Way({ id }: { id: string }) {
  const query = useJourney(id)
  useRefresh(['journey', id], 5_000)
  return (
    <QueryState query={query}>
      {({ things, timeline, isComplete }) =>
        things.length === 0 ? (
          <Empty title="Not found">Nothing of your organisation has this id.</Empty>
        ) : (
          <>
            {!isComplete && (
              <Alert variant="default">
                There is more than this page follows. Start from the id of a single thing.
              </Alert>
            )}
            <Grid gap="md">
              <Grid.Col span={{ base: 12, lg: 5 }}>
                <Panel title="What belongs to it">
                  <Things things={things} />
                </Panel>
              </Grid.Col>
              <Grid.Col span={{ base: 12, lg: 7 }}>
                <Panel title="Timeline">
                  <Timeline entries={entriesOf(things, timeline)} />
                </Panel>
              </Grid.Col>
            </Grid>
          </>
        )
      }
    </QueryState>
  )
}

type Thing = JourneyOfThing['things'][number]

function Things({ things }: { things: readonly Thing[] }) {
  return (
    <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: 'none' }}>
      {things.map((thing) => (
        <li key={`${thing.kind} ${thing.id}`}>
          <Badge variant="default" size="sm" tt="none" mr={8}>
            {thing.kind}
          </Badge>
          <AnchorLink to={thing.to} size="sm">
            {thing.title}
          </AnchorLink>
          {thing.why !== null && <Text size="sm">{thing.why}</Text>}
          <Text size="sm" c="dimmed" component="div">
            {thing.detail} · <CopyId id={thing.id} shown={11} />
            {thing.outbox !== null && (
              <>
                {' · '}
                <AnchorLink
                  to="/messages"
                  search={{ outbox: thing.outbox, open: `${thing.outbox}:${thing.id}` }}
                  size="sm"
                >
                  as a message of {thing.outbox}
                </AnchorLink>
              </>
            )}
          </Text>
        </li>
      ))}
    </Stack>
  )
}

/** Each with its thing, and how long after the first it was. */
function entriesOf(
  things: readonly Thing[],
  timeline: JourneyOfThing['timeline'],
): readonly TimelineEntry[] {
  const known = new Map(things.map((thing) => [`${thing.kind} ${thing.id}`, thing]))
  const [first] = timeline
  return timeline.map(({ at, what, kind, id }, index) => {
    const thing = known.get(`${kind} ${id}`)
    const passed = first === undefined ? 0 : Date.parse(at) - Date.parse(first.at)
    return {
      id: String(index),
      at,
      what: thing === undefined ? what : <AnchorLink to={thing.to}>{what}</AnchorLink>,
      details: `${kind}${index === 0 ? '' : `, ${formatDuration(passed)} after the first`}`,
    }
  })
}
