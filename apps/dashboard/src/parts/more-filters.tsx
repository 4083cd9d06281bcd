import { Button } from '@mantine/core'
import { IconAdjustments } from '@tabler/icons-react'
import { useState, type ReactNode } from 'react'

interface MoreFiltersProps {
  /** Whether one of them is set: then they are shown anyway. */
  readonly isSet: boolean
  readonly children: ReactNode
}

/** Fields of a filter that are rarely wished for. */
export function MoreFilters({ isSet, children }: MoreFiltersProps) {
  const [isWished, setIsWished] = useState(false)
  if (isSet || isWished) return children
  return (
    <Button
      variant="default"
      leftSection={<IconAdjustments size={14} aria-hidden />}
      onClick={() => setIsWished(true)}
    >
      More filters
    </Button>
  )
}
