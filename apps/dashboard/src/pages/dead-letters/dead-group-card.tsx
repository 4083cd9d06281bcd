import { Button, Group, Stack, Text } from '@mantine/core'
import { formatCount } from '../../format/number.ts'
import { Panel } from '../../parts/panel.tsx'
import { Time } from '../../parts/time.tsx'
import { FailureNote } from '../messages/failure-note.tsx'
import { ReplayButton } from './replay-button.tsx'
import type { DeadFilter, DeadGroup } from './use-dead-groups.ts'

interface DeadGroupCardProps {
  readonly group: DeadGroup
  readonly filter: DeadFilter
  /** Whether the outbox has no other group: then the filter alone means this one. */
  readonly isAlone: boolean
  /** Undefined if they are looked at already. */
  readonly onLook: (() => void) | undefined
}

/** One reason that messages of an outbox were given up for, what it means, and what to do. */
export function DeadGroupCard({ group, filter, isAlone, onLook }: DeadGroupCardProps) {
  const { outbox, code, count, error, oldestAt, newestAt } = group
  const isReplayable = code !== null || isAlone
  return (
    <Panel
      title={`${outbox}: ${formatCount(count)} dead`}
      actions={
        <Group gap="xs">
          {onLook !== undefined && (
            <Button
              variant="default"
              onClick={onLook}
              aria-label={`Show messages: ${code ?? 'no code'} of ${outbox}`}
            >
              Show messages
            </Button>
          )}
          {isReplayable && (
            <ReplayButton
              label={`Replay ${formatCount(count)}`}
              outbox={outbox}
              filter={{ ...filter, ...(code !== null && { code }) }}
            />
          )}
        </Group>
      }
    >
      <Stack gap={6}>
        {code === null && <Text size="sm">No error code recorded.</Text>}
        <FailureNote outbox={outbox} code={code} error={error} />
        {oldestAt !== null && (
          <Text size="sm" c="dimmed" component="div">
            Created from <Time at={oldestAt} /> to <Time at={newestAt} />
          </Text>
        )}
        {!isReplayable && <Text size="sm">Show the messages and select which ones to replay.</Text>}
      </Stack>
    </Panel>
  )
}
