import { Stack, Text } from '@mantine/core'
import type { Icon } from '@tabler/icons-react'
import type { ReactNode } from 'react'

export interface NoticeProps {
  readonly icon: Icon
  readonly title: string
  readonly children?: ReactNode
  /** What to do about it. */
  readonly action?: ReactNode
}

/** In the place of what is not there: why, and what to do next. */
export function Notice({ icon: Picture, title, children, action }: NoticeProps) {
  return (
    <Stack align="center" gap={6} p="xl" ta="center" maw={520} mx="auto">
      <Picture size={28} stroke={1.5} color="var(--mantine-color-dimmed)" aria-hidden />
      <Text fw={600}>{title}</Text>
      {children !== undefined && (
        <Text c="dimmed" size="sm" component="div">
          {children}
        </Text>
      )}
      {action}
    </Stack>
  )
}
