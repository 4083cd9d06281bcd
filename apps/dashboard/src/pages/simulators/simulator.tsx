import { Accordion, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { ActButton } from '../../parts/act/form.tsx'
import { Empty, QueryState } from '../../parts/layout/notice.tsx'
import { PageFrame, Panel } from '../../parts/layout/page-frame.tsx'
import { Json } from '../../parts/show/json.tsx'
import { firstOf, Lazy, useContents } from '../../systems.tsx'
import { type Arrival, FaultForm, FaultState, sim } from './fault.tsx'

/** One simulator: its fault, and what it received. */
export function Simulator() {
  const { name = '' } = useParams({ strict: false }) as { name?: string }
  const form = firstOf(useContents().webs, ({ simulators }) => simulators?.[name])
  const query = useQuery({
    queryKey: ['sim', name, 'requests'],
    queryFn: ({ signal }) => sim.requests(name, signal),
    refetchInterval: 2_000,
  })
  return (
    <PageFrame
      title={name}
      lead={<FaultState name={name} />}
      actions={
        <ActButton
          to="read"
          label="Reset simulator"
          title={`Reset ${name}?`}
          verb="Reset"
          tone="danger"
          run={() => sim.forget(name)}
          done={() => `${name} reset.`}
          changes={['sim']}
        >
          Deletes its requests, its fault and its data, such as charges and keys.
        </ActButton>
      }
    >
      <Panel title="Inject a fault">
        <FaultForm name={name} />
      </Panel>
      {form && (
        <Panel title={form.title}>
          <Lazy view={form.form} />
        </Panel>
      )}
      <Panel title="Requests received">
        <QueryState query={query}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty title="Nothing yet">Requests appear here as they come.</Empty>
            ) : (
              <Arrivals items={items} />
            )
          }
        </QueryState>
      </Panel>
    </PageFrame>
  )
}

function Arrivals({ items }: { items: readonly Arrival[] }) {
  return (
    <Accordion variant="contained">
      {items.map((item) => (
        <Accordion.Item key={item.id} value={String(item.id)}>
          <Accordion.Control>
            <Group gap="md" wrap="nowrap" justify="space-between">
              <Text size="sm" truncate>
                {titleOf(item)}
              </Text>
              <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
                {item.outcome ?? ''} <WrittenTime at={item.at} />
              </Text>
            </Group>
          </Accordion.Control>
          <Accordion.Panel>
            <Json value={item} label="request" />
          </Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  )
}

function titleOf({ method, path, to, subject }: Arrival): string {
  if (method !== undefined) return `${method} ${path ?? ''}`
  return `${[to].flat().join(', ')}: ${subject ?? ''}`
}

/** Inside a button nothing else can be pressed. */
function WrittenTime({ at }: { at: string }) {
  return <time dateTime={at}>{new Date(at).toLocaleTimeString()}</time>
}
