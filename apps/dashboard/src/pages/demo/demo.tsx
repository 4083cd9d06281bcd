import { Alert, Group, List, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconHandStop } from '@tabler/icons-react'
import { type Answer, post, remove, useRead } from '../../api/client.tsx'
import { ActButton } from '../../parts/act/form.tsx'
import { AnchorLink, PageFrame, Panel } from '../../parts/layout/page-frame.tsx'
import { QueryState } from '../../parts/layout/notice.tsx'
import { StateBadge } from '../../parts/show/states.tsx'
import type { StateRole } from '../../states/role.ts'

/** The story and how far it is. */
type Story = Answer<'/api/v1/demo'>
type StoryStep = Story['steps'][number]

const STEP_ROLES: Readonly<Record<StoryStep['status'], StateRole>> = {
  waiting: 'ready',
  running: 'claimed',
  done: 'confirmed',
  failed: 'dead',
  cancelled: 'cancelled',
}

/** An address of ours in its two parts, as links want it. */
function placeOf(path: string): { to: string; search: Record<string, string> } {
  const [to = '/', query = ''] = path.split('?')
  return { to, search: Object.fromEntries(new URLSearchParams(query)) }
}

/** While it runs; a finished demo does not change. */
const EVERY_MS = 700

/** A demo of the systems, with links to what it changes. */
export function Demo() {
  const query = useRead('/api/v1/demo', ['demo'], {
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? EVERY_MS : false),
  })
  return (
    <PageFrame
      title="Demo"
      lead="A one-minute demo of the systems and their failures. It acts as you on this server, moves its clock and contacts no outside service."
      actions={query.data && <PlayButton story={query.data} />}
    >
      <QueryState query={query}>
        {(story) => (
          <Stack gap="md">
            <StoryEnd story={story} />
            {story.steps.map((step) => (
              <StepCard key={step.id} step={step} />
            ))}
          </Stack>
        )}
      </QueryState>
    </PageFrame>
  )
}

function PlayButton({ story: { status } }: { story: Story }) {
  return status === 'running' ? (
    <ActButton
      key="stop"
      to="read"
      label="Stop"
      run={() => remove('/api/v1/demo')}
      done={() => 'Stopping the demo; its data stays.'}
      changes={['demo']}
    />
  ) : (
    <ActButton
      key="play"
      to="read"
      label={status === 'idle' ? 'Play' : 'Play again'}
      button={{ variant: 'filled' }}
      run={() => post('/api/v1/demo')}
      done={() => 'Demo started. You can leave this page; it continues.'}
      changes={['demo']}
    />
  )
}

const ENDINGS = {
  completed: {
    icon: IconCircleCheck,
    title: 'Demo finished',
    text: 'The last step says what is left for you to try.',
  },
  failed: { icon: IconAlertTriangle, title: 'Demo failed', text: null },
  cancelled: {
    icon: IconHandStop,
    title: 'Demo stopped',
    text: 'Its data stays; the simulators answer normally again.',
  },
} as const

function StoryEnd({ story: { status, error } }: { story: Story }) {
  if (status === 'idle' || status === 'running') return null
  const { icon: Picture, title, text } = ENDINGS[status]
  return (
    <Alert color="gray" role="status" title={title} icon={<Picture aria-hidden />}>
      {text ?? error}
    </Alert>
  )
}

/** What a step does, what came of it, and where to look. */
function StepCard({ step }: { step: StoryStep }) {
  const { title, about, look, status, says } = step
  return (
    <Panel title={title} actions={<StateBadge state={status} role={STEP_ROLES[status]} />}>
      <Text size="sm" c="dimmed">
        {about}
      </Text>
      {says.length > 0 && (
        <List size="sm" mt="xs" spacing={2} aria-live="polite">
          {says.map((sentence) => (
            <List.Item key={sentence}>{sentence}</List.Item>
          ))}
        </List>
      )}
      <Group gap="md" mt="xs">
        {look.map(({ label, path }) => (
          <AnchorLink key={path} {...placeOf(path)} size="sm">
            {label}
          </AnchorLink>
        ))}
      </Group>
    </Panel>
  )
}
