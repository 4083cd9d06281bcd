import { Group, List, Text } from '@mantine/core'
import { AnchorLink } from '../../parts/links.tsx'
import { Panel } from '../../parts/panel.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { STEP_ROLES, placeOf, type StoryStep } from './story.ts'

/** What a step does, what came of it, and where to look. */
export function StepCard({ step }: { step: StoryStep }) {
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
