import { Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'

/** A secret that cannot be asked for again. */
export function SecretOnce({ secret, onKept }: { secret: string; onKept: () => void }) {
  return (
    <Stack gap="sm">
      <Text size="sm">
        Give it to the receiver, which verifies the signatures with it. It is stored encrypted and
        cannot be shown again; if it is lost, create a new one.
      </Text>
      <Code block style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
        {secret}
      </Code>
      <Group justify="flex-end" gap="xs">
        <CopyButton value={secret}>
          {({ copied, copy }) => (
            <Button
              variant="default"
              onClick={copy}
              leftSection={copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
            >
              {copied ? 'Copied' : 'Copy the secret'}
            </Button>
          )}
        </CopyButton>
        <Button onClick={onKept}>I have saved it</Button>
      </Group>
    </Stack>
  )
}
