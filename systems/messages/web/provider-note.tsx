import { Text } from '@mantine/core'
import { CodeNote } from '@posthorn/dashboard/kit'
import { providerMeaning } from './provider-code.ts'

/** Why an attempt failed in plain words, what to do, and what the provider said itself. */
export function ProviderNote({ code, message }: { code: string; message: string | null }) {
  return (
    <div>
      <CodeNote code={code} meaning={providerMeaning(code)} />
      {message !== null && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          Error text: {message}
        </Text>
      )}
    </div>
  )
}
