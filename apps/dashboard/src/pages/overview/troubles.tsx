import { Group, Stack, Text } from '@mantine/core'
import { IconAlertOctagon, IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { AnchorLink } from '../../parts/links.tsx'
import { Panel } from '../../parts/panel.tsx'
import type { Trouble } from './trouble.ts'

/** Problem, each with a link to where it is mended. */
export function Troubles({ troubles }: { troubles: readonly Trouble[] }) {
  if (troubles.length === 0) {
    return (
      <Group gap={8} role="status">
        <IconCircleCheck size={18} color="var(--mantine-color-teal-6)" aria-hidden />
        <Text>No action needed. Messages are moving and none was given up today.</Text>
      </Group>
    )
  }
  return (
    <Panel
      title={`${troubles.length} ${troubles.length === 1 ? 'thing needs' : 'things need'} attention`}
    >
      <Stack gap={8} component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
        {troubles.map((trouble) => (
          <Line key={trouble.id} trouble={trouble} />
        ))}
      </Stack>
    </Panel>
  )
}

function Line({ trouble: { tone, what, why, to } }: { trouble: Trouble }) {
  const Picture = tone === 'bad' ? IconAlertOctagon : IconAlertTriangle
  const color = tone === 'bad' ? 'red' : 'orange'
  return (
    <Group component="li" gap={10} wrap="nowrap" align="flex-start">
      <Picture
        size={18}
        color={`var(--mantine-color-${color}-6)`}
        style={{ flex: 'none', marginTop: 2 }}
        role="img"
        aria-label={tone === 'bad' ? 'Bad' : 'Warning'}
      />
      <div>
        <AnchorLink to={to} fw={600}>
          {what}
        </AnchorLink>
        <Text size="sm" c="dimmed">
          {why}
        </Text>
      </div>
    </Group>
  )
}
