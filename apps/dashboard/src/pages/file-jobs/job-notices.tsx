import { Alert, Code, List, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconCircleX } from '@tabler/icons-react'
import { adviceForFile } from './advice.ts'
import type { Job } from './job.ts'

/** Why a file was not taken and what to mend, and what else is odd about it. */
export function JobNotices({ job: { status, reason, reasonDetail, warnings } }: { job: Job }) {
  if (status !== 'REJECTED' && warnings.length === 0) return null
  return (
    <Stack gap="xs">
      {status === 'REJECTED' && (
        <Alert
          color="red"
          icon={<IconCircleX size={18} aria-hidden />}
          title={reasonDetail ?? 'File rejected'}
        >
          <Text size="sm" component="div">
            {reason !== null && <Code>{reason}</Code>}{' '}
            <strong>{reason !== null && adviceForFile(reason)}</strong> Nothing was sent: fix the
            file and upload it again.
          </Text>
        </Alert>
      )}
      {warnings.length > 0 && (
        <Alert
          color="orange"
          // Orange letters on their own tint are too pale to be read.
          styles={{ label: { color: 'var(--mantine-color-text)' } }}
          icon={<IconAlertTriangle size={18} aria-hidden />}
          title={warnings.length === 1 ? '1 warning' : `${warnings.length} warnings`}
        >
          <List size="sm">
            {warnings.map((warning) => (
              <List.Item key={warning} style={{ overflowWrap: 'anywhere' }}>
                {warning}
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
    </Stack>
  )
}
