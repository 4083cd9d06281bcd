import { Code, Text } from '@mantine/core'
import reference from '../../../../docs/reference/errors.md?raw'
import { meaningsIn } from './meaning.ts'

const MEANINGS = meaningsIn(reference)

/** A code with what it means and what to do; a code of somebody else's stands alone. */
export function CodeNote({ code }: { code: string }) {
  const found = MEANINGS.get(code)
  return (
    <Text size="sm" component="div">
      <Code>{code}</Code> {found?.meaning}
      {found?.advice !== undefined && <strong> {found.advice}</strong>}
    </Text>
  )
}
