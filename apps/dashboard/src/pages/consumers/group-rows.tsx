import { Table, Text } from '@mantine/core'
import { formatCount } from '../../format/number.ts'
import { AnchorLink } from '../../parts/layout/links.tsx'
import type { ConsumerGroup } from './consumers.tsx'

/** More than a group that keeps up has in front of it for long. */
const MUCH = 1_000

/** Every consumer group: how far it is behind, and what it has set aside. */
export function GroupRows({ groups }: { groups: readonly ConsumerGroup[] }) {
  if (groups.length === 0) return <Text size="sm">No consumer group has been looked at yet.</Text>
  return (
    <Table.ScrollContainer minWidth={300}>
      <Table aria-label="Consumer groups">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Group</Table.Th>
            <Table.Th visibleFrom="sm">Topic</Table.Th>
            <Table.Th ta="right">Behind</Table.Th>
            <Table.Th ta="right" visibleFrom="sm">
              Retried
            </Table.Th>
            <Table.Th ta="right" visibleFrom="sm">
              Parked
            </Table.Th>
            <Table.Th ta="right">Dead</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {groups.map(({ topic, group, lag, retrying, parked, dead }) => (
            <Table.Tr key={`${topic}/${group}`}>
              <Table.Td>
                <AnchorLink to="/consumers" search={{ topic, group }}>
                  {group}
                </AnchorLink>
                {/* A phone has room for what is wrong, and the rest below the name. */}
                <Text size="xs" c="dimmed" hiddenFrom="sm">
                  {topic}, {formatCount(retrying)} retried, {formatCount(parked)} parked
                </Text>
              </Table.Td>
              <Table.Td visibleFrom="sm">{topic}</Table.Td>
              <Table.Td ta="right" {...(lag !== null && lag >= MUCH && { fw: 700 })}>
                {lag === null ? 'not known' : formatCount(lag)}
              </Table.Td>
              <Table.Td ta="right" visibleFrom="sm">
                {formatCount(retrying)}
              </Table.Td>
              <Table.Td ta="right" visibleFrom="sm">
                {formatCount(parked)}
              </Table.Td>
              <Table.Td ta="right" {...(dead > 0 && { fw: 700 })}>
                {formatCount(dead)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
