import { Code, Text } from '@mantine/core'
import { CodeNote } from './code-note.tsx'
import { providerMeaning } from './provider-code.ts'

/** Why an attempt failed in plain words, what to do, and what the provider said itself. */
export function ProviderNote({ code, message }: { code: string; message: string | null }) {
  const found = providerMeaning(code)
  return (
    <div>
      {found === undefined ? (
        <CodeNote code={code} />
      ) : (
        <Text size="sm" component="div">
          <Code>{code}</Code> {found.meaning} <strong>{found.advice}</strong>
        </Text>
      )}
      {message !== null && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          Error text: {message}
        </Text>
      )}
    </div>
  )
}
