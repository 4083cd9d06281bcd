import { Badge, Group, SegmentedControl, Stack, Table, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useState } from 'react'
import { useRead } from '../../api/api-context.tsx'
import { formatCount } from '../../format/number.ts'
import { QueryState } from '../../parts/layout/notice.tsx'
import { SectionFrame } from '../../parts/layout/page-frame.tsx'
import { Time } from '../../parts/show/time.tsx'
import { useUser } from '../../shell/use-user.ts'
import { type DataClass, KeepButton, type Scope } from './keep-form.tsx'

/** Workers remove data without a word to this page. */
const EVERY_MS = 30_000

/** More are not counted for a look. */
const MOST_COUNTED = 10_000

/** What is kept, for how long, and how far its removal is. */
export function Retention() {
  const { role } = useUser()
  const [scope, setScope] = useState<Scope>('organisation')
  const classes = useRead('/api/v1/retention', ['retention', scope], {
    params: { query: { scope } },
    refetchInterval: EVERY_MS,
  })
  return (
    <SectionFrame
      lead="How long data is kept after it is done with. What is still needed or under a legal hold stays."
      actions={
        role === 'platform' && (
          <SegmentedControl
            aria-label="Whose times"
            value={scope}
            onChange={(value) => setScope(value)}
            data={[
              { value: 'organisation', label: 'My organisation' },
              { value: 'platform', label: 'Defaults for all' },
            ]}
          />
        )
      }
    >
      <QueryState query={classes}>
        {({ items }) => <ClassRows classes={items} scope={scope} />}
      </QueryState>
    </SectionFrame>
  )
}

function ClassRows({ classes, scope }: { classes: readonly DataClass[]; scope: Scope }) {
  const isNarrow = useMediaQuery('(max-width: 48em)')
  return (
    <Table.ScrollContainer minWidth={isNarrow ? 300 : 700}>
      <Table aria-label="Kept data" verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Data</Table.Th>
            <Table.Th>Kept for</Table.Th>
            <Table.Th visibleFrom="sm">Oldest</Table.Th>
            <Table.Th ta="right">Due</Table.Th>
            <Table.Th visibleFrom="sm">Last run</Table.Th>
            <Table.Th visibleFrom="lg">Next run</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {classes.map((each) => (
            <Table.Tr key={each.class}>
              <Table.Td>
                <Stack gap={0}>
                  <Group gap={6}>
                    <Text size="sm">{each.title}</Text>
                    {each.personal && (
                      <Badge size="xs" variant="default" title="Can say who a person is">
                        personal
                      </Badge>
                    )}
                  </Group>
                  <Text size="xs" c="dimmed">
                    {each.class}
                  </Text>
                </Stack>
              </Table.Td>
              <Table.Td>
                <KeepButton dataClass={each} scope={scope} />
              </Table.Td>
              <Table.Td visibleFrom="sm">
                <Time at={each.oldestAt} clock="business" />
              </Table.Td>
              <Table.Td ta="right" {...(each.due !== null && each.due > 0 && { fw: 700 })}>
                <Due count={each.due} />
              </Table.Td>
              <Table.Td visibleFrom="sm">
                <LastRun dataClass={each} />
              </Table.Td>
              <Table.Td visibleFrom="lg">
                <Time at={each.nextRunAt} ahead />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function Due({ count }: { count: number | null }) {
  if (count === null) return 'not counted'
  return count >= MOST_COUNTED ? `${formatCount(MOST_COUNTED)} or more` : formatCount(count)
}

function LastRun({ dataClass }: { dataClass: DataClass }) {
  const { lastRunAt, lastError, lastRemoved } = dataClass
  if (lastRunAt === null) return 'not yet'
  return (
    <Group gap={6}>
      <Time at={lastRunAt} />
      {lastError !== null && (
        <Text size="xs" c="red" fw={700}>
          failed: {lastError}
        </Text>
      )}
      {lastError === null && lastRemoved !== null && lastRemoved > 0 && (
        <Text size="xs">{formatCount(lastRemoved)} removed</Text>
      )}
    </Group>
  )
}
