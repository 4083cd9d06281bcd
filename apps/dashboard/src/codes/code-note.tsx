// oxlint-disable-next-line typescript/triple-slash-reference -- pages of other packages compile without our tsconfig
/// <reference path="../virtual.d.ts" />
import { Code, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useContents } from '../systems.tsx'
import { isRepeated, type Meaning, meaningsIn, sectionOf } from './meaning.ts'

interface CodeNoteProps {
  readonly code: string
  /** Default: what the reference of errors says. */
  readonly meaning?: Meaning | undefined
  /** The section of the reference that is meant if several explain the code. */
  readonly section?: string
}

/** The reference of errors: large, so it is loaded with the first code that is shown. */
function useMeanings(section?: string): ReadonlyMap<string, Meaning> | undefined {
  const { data } = useQuery({
    queryKey: ['settings', 'errors'],
    queryFn: () => import('virtual:errors').then(({ errors }) => errors),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return data === undefined
    ? undefined
    : meaningsIn(section === undefined ? data : sectionOf(data, section))
}

/** The text of an error, unless the note of its code says it already. */
export function useTextBeside(code: string | null, error: string | null): string | null {
  const meanings = useMeanings()
  if (code === null || error === null) return error
  return isRepeated(error, meanings?.get(code)) ? null : error
}

/** A code with its meaning and advice; an unknown code is shown alone. */
export function CodeNote({ code, meaning, section }: CodeNoteProps) {
  const all = useMeanings()
  const meant = useMeanings(section)
  const found = meaning ?? meant?.get(code) ?? all?.get(code)
  const { isPortal } = useContents()
  if (isPortal) return <Text size="sm">{found?.meaning}</Text>
  return (
    <Text size="sm" component="div">
      <Code>{code}</Code> {found?.meaning}
      {found?.advice !== undefined && <strong> {found.advice}</strong>}
    </Text>
  )
}
