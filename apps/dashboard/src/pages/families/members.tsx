import { Table } from '@mantine/core'
import { StateBadge } from '../../parts/state-badge.tsx'
import { Time } from '../../parts/time.tsx'
import type { FamilyDetails } from './family-api.ts'

/** Who belongs to a family, and since when. */
export function Members({ members }: Pick<FamilyDetails, 'members'>) {
  return (
    <Table>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>User</Table.Th>
          <Table.Th>Role</Table.Th>
          <Table.Th>Joined</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {members.map(({ userId, role, joinedAt }) => (
          <Table.Tr key={userId}>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>{userId}</Table.Td>
            <Table.Td>
              <StateBadge state={role} role={undefined} />
            </Table.Td>
            <Table.Td>
              <Time at={joinedAt} clock="business" />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
