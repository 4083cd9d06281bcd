import { countOf } from '../../format/number.ts'
import { ActionIcon, Anchor, CopyButton, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useState } from 'react'
import classes from './json.module.css'

interface JsonProps {
  readonly value: unknown
  /** What it is, for screen readers. Default `JSON`. */
  readonly label?: string
}

/** Any value of JSON, to fold and to copy. It is only ever text: nothing in it becomes markup. */
export function Json({ value, label = 'JSON' }: JsonProps) {
  return (
    <div className={classes['json']} role="group" aria-label={label}>
      <CopyButton value={JSON.stringify(value, null, 2) ?? ''}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? 'Copied' : 'Copy JSON'}>
            <ActionIcon
              className={classes['copy'] ?? ''}
              size="sm"
              aria-label={copied ? 'Copied' : `Copy ${label}`}
              onClick={copy}
            >
              {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
      <JsonNode value={value} depth={0} />
    </div>
  )
}

/** Deeper than this it is folded at first. */
const OPEN_DEPTH = 2

/** More of a list or a text than this is shown on demand. */
const MOST_ENTRIES = 100
const MOST_CHARACTERS = 400

interface NodeProps<Value = unknown> {
  readonly name?: string | undefined
  readonly value: Value
  readonly depth: number
}

function JsonNode({ name, value, depth }: NodeProps) {
  if (typeof value === 'object' && value !== null) return <Branch {...{ name, value, depth }} />
  return (
    <div className={classes['leaf']}>
      <Name name={name} />
      <Leaf value={value} />
    </div>
  )
}

function Branch({ name, value, depth }: NodeProps<object>) {
  const [shown, setShown] = useState(MOST_ENTRIES)
  const [isOpen, setIsOpen] = useState(depth < OPEN_DEPTH)
  const isList = Array.isArray(value)
  const entries = Object.entries(value)
  if (entries.length === 0) {
    return (
      <div className={classes['leaf']}>
        <Name name={name} />
        {isList ? '[]' : '{}'}
      </div>
    )
  }
  return (
    <details
      className={classes['branch']}
      open={isOpen}
      onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}
    >
      <summary>
        <Name name={name} />
        <span className={classes['size']}>
          {isList
            ? `[${countOf(entries.length, 'item')}]`
            : `{${countOf(entries.length, 'field')}}`}
        </span>
      </summary>
      {isOpen &&
        entries
          .slice(0, shown)
          .map(([key, child]) => <JsonNode key={key} name={key} value={child} depth={depth + 1} />)}
      {isOpen && entries.length > shown && (
        <More onClick={() => setShown(shown * 10)}>
          {(entries.length - shown).toLocaleString()} more
        </More>
      )}
    </details>
  )
}

function Name({ name }: { name: string | undefined }) {
  return name === undefined ? null : <span className={classes['name']}>{name}: </span>
}

function Leaf({ value }: { value: unknown }) {
  const [isWhole, setIsWhole] = useState(false)
  const text = JSON.stringify(value) ?? String(value)
  const isLong = text.length > MOST_CHARACTERS && !isWhole
  return (
    <>
      <span className={classes['value']} data-kind={value === null ? 'null' : typeof value}>
        {isLong ? `${text.slice(0, MOST_CHARACTERS)}…` : text}
      </span>
      {isLong && (
        <More onClick={() => setIsWhole(true)}>all {text.length.toLocaleString()} characters</More>
      )}
    </>
  )
}

function More({ onClick, children }: { onClick: () => void; children: React.ReactNode }) {
  return (
    <Anchor component="button" type="button" fz="inherit" ml={6} onClick={onClick}>
      {children}
    </Anchor>
  )
}
