import { Group, Paper, Title } from '@mantine/core'
import { useId, type ReactNode } from 'react'

export interface PanelProps {
  readonly title: string
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** One thing of a page, with its name. */
export function Panel({ title, actions, children }: PanelProps) {
  const id = useId()
  return (
    <Paper component="section" withBorder p="md" aria-labelledby={id}>
      <Group justify="space-between" mb="sm" mih={26} gap="xs">
        <Title order={2} id={id}>
          {title}
        </Title>
        {actions}
      </Group>
      {children}
    </Paper>
  )
}
