import { Button, Group, Modal, SimpleGrid, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { post, useRead } from '../../api/client.tsx'
import { formatDuration } from '../../format/number.ts'
import { ActionForm, Form } from '../../parts/act/form.tsx'
import { useAction } from '../../parts/act/action.tsx'
import { AnchorLink } from '../../parts/layout/links.tsx'
import { QueryState } from '../../parts/layout/notice.tsx'
import { PageFrame, Panel } from '../../parts/layout/page-frame.tsx'
import { FaultState } from './fault.tsx'

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
            <Clock now={clock.now} aheadSeconds={clock.aheadSeconds} isMovable={clock.movable} />
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

interface ClockProps {
  readonly now: string
  readonly aheadSeconds: number
  readonly isMovable: boolean
}

const STEPS = ['1m', '1h', '6h', '1d'] as const

const SHOWN = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

/** The business clock: what waits for hours becomes due in a second. */
function Clock({ now, aheadSeconds, isMovable }: ClockProps) {
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
          <Button key={step} variant="default" disabled={!isMovable} onClick={() => setAsked(step)}>
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
              disabled={!isMovable}
              w={120}
            />
            <Button type="submit" variant="default" disabled={!isMovable || by.trim() === ''}>
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
