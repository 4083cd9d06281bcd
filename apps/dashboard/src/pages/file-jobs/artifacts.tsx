import { Table, Text } from '@mantine/core'
import { formatBytes } from '../../format/bytes.ts'
import { CopyId } from '../../parts/copy-id.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import type { StateRole } from '../../states/role.ts'
import type { RowDetails } from './job.ts'

type Artifact = RowDetails['artifacts'][number]

const ROLES: Readonly<Record<Artifact['attachmentStatus'], StateRole>> = {
  PENDING: 'ready',
  ATTACHED: 'confirmed',
  FAILED: 'dead',
}

/** The files of a row, and what the document service calls them. */
export function Artifacts({ artifacts }: { artifacts: readonly Artifact[] }) {
  if (artifacts.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No files staged for this row.
      </Text>
    )
  }
  return (
    <Table.ScrollContainer minWidth={420}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>File</Table.Th>
            <Table.Th>Size</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>Document</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {artifacts.map((file) => (
            <Table.Tr key={file.id}>
              <Table.Td title={file.contentType}>{file.filename}</Table.Td>
              <Table.Td>{formatBytes(file.sizeBytes)}</Table.Td>
              <Table.Td>
                <StateBadge state={file.attachmentStatus} role={ROLES[file.attachmentStatus]} />
              </Table.Td>
              <Table.Td>
                {file.documentMgmtId === null ? (
                  '–'
                ) : (
                  <CopyId id={file.documentMgmtId} what="document id" shown={14} />
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
