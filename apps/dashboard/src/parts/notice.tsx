import { Button, Stack, Text } from '@mantine/core'
import { type Icon, IconFilterOff, IconInbox } from '@tabler/icons-react'
import type { ReactNode } from 'react'

interface NoticeProps {
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

/** There is nothing yet: says what will be here and how it comes. */
export function Empty({ icon = IconInbox, ...rest }: Partial<NoticeProps> & { title: string }) {
  return <Notice icon={icon} {...rest} />
}

/** There is something, but not for this filter. */
export function NoMatch({ onClear }: { onClear: () => void }) {
  return (
    <Notice
      icon={IconFilterOff}
      title="Nothing matches the filter"
      action={
        <Button variant="default" mt="xs" onClick={onClear}>
          Clear filters
        </Button>
      }
    />
  )
}
