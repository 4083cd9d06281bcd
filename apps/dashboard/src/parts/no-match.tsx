import { Button } from '@mantine/core'
import { IconFilterOff } from '@tabler/icons-react'
import { Notice } from './notice.tsx'

/** There is something, but not for this filter. */
export function NoMatch({ onClear }: { onClear: () => void }) {
  return (
    <Notice
      icon={IconFilterOff}
      title="Nothing matches the filter"
      action={
        <Button variant="default" mt="xs" onClick={onClear}>
          Clear filters
        </Button>
      }
    />
  )
}
