import { Code, Text } from '@mantine/core'
import { useContents } from '../systems.tsx'
import { isRepeated, type Meaning, meaningsIn, sectionOf } from './meaning.ts'

interface CodeNoteProps {
  readonly code: string
  /** Default: what the reference of errors says. */
  readonly meaning?: Meaning | undefined
  /** The section of the reference that is meant if several explain the code. */
  readonly section?: string
}

/** The text of an error, unless the note of its code says it already. */
export function useTextBeside(code: string | null, error: string | null): string | null {
  const { meanings } = useContents()
  if (code === null || error === null) return error
  return isRepeated(error, meanings.get(code)) ? null : error
}

/** A code with its meaning and advice; an unknown code is shown alone. */
export function CodeNote({ code, meaning, section }: CodeNoteProps) {
  const { errors, meanings } = useContents()
  const meant = section === undefined ? undefined : meaningsIn(sectionOf(errors, section))
  const found = meaning ?? meant?.get(code) ?? meanings.get(code)
  return (
    <Text size="sm" component="div">
      <Code>{code}</Code> {found?.meaning}
      {found?.advice !== undefined && <strong> {found.advice}</strong>}
    </Text>
  )
}
