import { Accordion, Button, Group, Modal, SimpleGrid, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { type Answer, post, useRead } from '../../api/client.tsx'
import { formatDuration } from '../../format/number.ts'
import { ActButton, ActionForm, Form } from '../../parts/act/form.tsx'
import { useAction } from '../../parts/act/action.tsx'
import { AnchorLink, PageFrame, Panel } from '../../parts/layout/page-frame.tsx'
import { Empty, QueryState } from '../../parts/layout/notice.tsx'
import { type Arrival, FaultForm, FaultState, sim } from './fault.tsx'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Json } from '../../parts/show/json.tsx'
import { firstOf, Lazy, useContents } from '../../systems.tsx'

/** Who plays the outside world here, and the clock that can be moved. */
export function Simulators() {
  const query = useRead('/api/v1/sim', ['sim', 'list'], { refetchInterval: 10_000 })
  return (
    <PageFrame
      title="Simulators and clock"
      lead="Simulators stand in for outside services in development. Inject faults and see what happens."
    >
      <QueryState query={query}>
        {({ clock, simulators }) => (
          <>
            <Clock {...clock} />
            <SimpleGrid cols={{ base: 1, sm: 2, xl: 3 }} spacing="md">
              {simulators.map(({ name, about }) => (
                <Panel
                  key={name}
                  title={name}
                  actions={
                    <AnchorLink
                      to="/simulators/$name"
                      params={{ name }}
                      aria-label={`Open ${name}`}
                    >
                      Open
                    </AnchorLink>
                  }
                >
                  <Text size="sm" c="dimmed" mb="xs">
                    {about}
                  </Text>
                  <FaultState name={name} />
                </Panel>
              ))}
            </SimpleGrid>
          </>
        )}
      </QueryState>
    </PageFrame>
  )
}

const STEPS = ['1m', '1h', '6h', '1d'] as const

const SHOWN = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

/** The business clock: what waits for hours becomes due in a second. */
function Clock({ now, aheadSeconds, movable }: Answer<'/api/v1/sim'>['clock']) {
  const [by, setBy] = useState('')
  const [asked, setAsked] = useState<string>()
  const advance = useAction({
    run: () => post('/api/v1/sim/clock', { body: { by: asked ?? '' } }),
    done: () => `Clock advanced by ${asked}; relays claim what became due.`,
    changes: ['sim', 'clock', 'overview', 'outboxes', 'messages'],
  })
  return (
    <Panel title="Business clock">
      <Text size="sm" mb="xs">
        {SHOWN.format(new Date(now))}
        {aheadSeconds > 0 && `, ${formatDuration(aheadSeconds * 1_000)} ahead of real time`}. Due
        times and expiries follow it; leases, signatures and tokens do not. It cannot go back.
      </Text>
      <Group gap="xs" align="flex-end">
        {STEPS.map((step) => (
          <Button key={step} variant="default" disabled={!movable} onClick={() => setAsked(step)}>
            +{step}
          </Button>
        ))}
        <Form onSubmit={() => setAsked(by.trim())}>
          <Group gap="xs" align="flex-end">
            <TextInput
              label="Or by"
              placeholder="90s, 30m, 2d"
              value={by}
              onChange={({ currentTarget }) => setBy(currentTarget.value)}
              disabled={!movable}
              w={120}
            />
            <Button type="submit" variant="default" disabled={!movable || by.trim() === ''}>
              Move
            </Button>
          </Group>
        </Form>
      </Group>
      <Modal
        opened={asked !== undefined}
        onClose={() => setAsked(undefined)}
        title={`Move the clock by ${asked}?`}
      >
        <ActionForm
          action={advance}
          onClose={() => setAsked(undefined)}
          onDone={() => setBy('')}
          verb={`Move by ${asked}`}
        >
          <Text size="sm">
            It moves for every process on this database: what is due by then is sent, tried again or
            expires. It cannot be moved back.
          </Text>
        </ActionForm>
      </Modal>
    </Panel>
  )
}

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
                {/* Not a `Time`: inside a button nothing else can be pressed. */}
                {item.outcome ?? ''}{' '}
                <time dateTime={item.at}>{new Date(item.at).toLocaleTimeString()}</time>
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
