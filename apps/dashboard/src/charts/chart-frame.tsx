import { Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'

interface ChartFrameProps {
  readonly title: string
  /** What the numbers are. */
  readonly note?: ReactNode
  readonly actions: ReactNode
  readonly children: ReactNode
}

/** What every chart has above it: its name, and what can be done with it. */
export function ChartFrame({ title, note, actions, children }: ChartFrameProps) {
  return (
    <figure style={{ margin: 0, minWidth: 0 }}>
      <Group component="figcaption" justify="space-between" gap="0 12px" mih={22}>
        <div>
          <Text fw={500} size="sm" component="span">
            {title}
          </Text>{' '}
          <Text size="xs" c="dimmed" component="span">
            {note}
          </Text>
        </div>
        {actions}
      </Group>
      {children}
    </figure>
  )
}
