import { ActionIcon, CopyButton, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import classes from './json.module.css'
import { JsonNode } from './json-node.tsx'

export interface JsonProps {
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
