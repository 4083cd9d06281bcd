import { Alert, Button, Stack } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconHandStop } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { PageFrame } from '../../parts/page-frame.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import { useAction } from '../../parts/use-action.ts'
import { StepCard } from './step-card.tsx'
import type { Story } from './story.ts'

/** While it is played; nobody looks at a story that stands still. */
const EVERY_MS = 700

/** A story through all systems, with a link to whatever it moves. */
export function Demo() {
  const api = useApi()
  const query = useQuery({
    queryKey: ['demo'],
    queryFn: ({ signal }) => dataOf(api.GET('/api/v1/demo', { signal })),
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? EVERY_MS : false),
  })
  return (
    <PageFrame
      title="Demonstration"
      lead="A story of a minute through all five systems, with what goes wrong in each. It acts in your name on this server, moves its clock, and reaches nobody outside."
      actions={query.data && <PlayButton story={query.data} />}
    >
      <QueryState query={query}>
        {(story) => (
          <Stack gap="md">
            <Ending story={story} />
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
  const api = useApi()
  const play = useAction({
    run: () => dataOf(api.POST('/api/v1/demo')),
    done: () => 'The story begins. Stay here, or look around: it goes on.',
    changes: ['demo'],
  })
  const cancel = useAction({
    run: () => dataOf(api.DELETE('/api/v1/demo')),
    done: () => 'The story is ended; what was made until then stays.',
    changes: ['demo'],
  })
  if (status === 'running') {
    return (
      <Button variant="default" loading={cancel.isPending} onClick={() => cancel.mutate(undefined)}>
        End it
      </Button>
    )
  }
  return (
    <Button loading={play.isPending} onClick={() => play.mutate(undefined)}>
      {status === 'idle' ? 'Play' : 'Play again'}
    </Button>
  )
}

const ENDINGS = {
  completed: {
    icon: IconCircleCheck,
    title: 'That was the story',
    text: 'One webhook is left for you: find it, see why it failed, mend the merchant, replay it. The last step says how.',
  },
  failed: { icon: IconAlertTriangle, title: 'The story broke', text: null },
  cancelled: {
    icon: IconHandStop,
    title: 'The story was ended',
    text: 'What was made until then stays; the simulators answer as they should.',
  },
} as const

function Ending({ story: { status, error } }: { story: Story }) {
  if (status === 'idle' || status === 'running') return null
  const { icon: Picture, title, text } = ENDINGS[status]
  return (
    <Alert color="gray" role="status" title={title} icon={<Picture aria-hidden />}>
      {text ?? error}
    </Alert>
  )
}
