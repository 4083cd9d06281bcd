import { Code, Text } from '@mantine/core'
import reference from '../../../../docs/reference/errors.md?raw'
import { isRepeated, meaningsIn, sectionOf } from './meaning.ts'

const MEANINGS = meaningsIn(reference)

interface CodeNoteProps {
  readonly code: string
  /** The section of the reference that is meant if several explain the code. */
  readonly section?: string
}

/** The text of an error, unless the note of its code says it already. */
export function textBeside(code: string | null, error: string | null): string | null {
  if (code === null || error === null) return error
  return isRepeated(error, MEANINGS.get(code)) ? null : error
}

/** A code with what it means and what to do; a foreign code is shown alone. */
export function CodeNote({ code, section }: CodeNoteProps) {
  const meant = section === undefined ? undefined : meaningsIn(sectionOf(reference, section))
  const found = meant?.get(code) ?? MEANINGS.get(code)
  return (
    <Text size="sm" component="div">
      <Code>{code}</Code> {found?.meaning}
      {found?.advice !== undefined && <strong> {found.advice}</strong>}
    </Text>
  )
}
