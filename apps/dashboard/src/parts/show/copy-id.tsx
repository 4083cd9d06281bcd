import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import classes from './copy-id.module.css'

export interface CopyIdProps {
  readonly id: string
  /** What it is called when it is copied. Default `id`. */
  readonly what?: string
  /** Characters shown of a long one; the whole one is copied and on hover. Default: all. */
  readonly shown?: number
}

/** An id as one writes it, with a button that copies it. */
export function CopyId({ id, what = 'id', shown = Number.POSITIVE_INFINITY }: CopyIdProps) {
  const { copied, copy } = useClipboard()
  const label = copied ? 'Copied' : `Copy ${what}`
  return (
    <span className={classes['id']}>
      <code title={id}>{id.length > shown ? shorten(id, shown) : id}</code>
      <button type="button" title={label} aria-label={label} onClick={() => copy(id)}>
        {copied ? <IconCheck size={13} aria-hidden /> : <IconCopy size={13} aria-hidden />}
      </button>
    </span>
  )
}

/** An id among facts: left out where there is none. */
export function idFact(id: string | null, look: Omit<CopyIdProps, 'id'> = {}): ReactNode {
  return id === null ? undefined : <CopyId id={id} {...look} />
}

/** Also where something follows it: ids of parts may be an id and a number. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/i

const UUIDS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi

/** A text in a narrow place: ids in it by their ends, as `shorten` has them. */
export function withShortIds(text: string): string {
  return text.replaceAll(UUIDS, (id) => `…${id.slice(-8)}`)
}

/** Ids of one hour begin alike: users recognise them by their ends. */
function shorten(id: string, shown: number): string {
  return UUID.test(id) ? `…${id.slice(-shown)}` : `${id.slice(0, shown)}…`
}
