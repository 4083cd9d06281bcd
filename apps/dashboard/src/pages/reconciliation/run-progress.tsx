import { Progress, Text } from '@mantine/core'
import type { RunStep } from './use-run-step.ts'

const STEPS: Readonly<Record<RunStep | 'starting', { words: string; part: number }>> = {
  starting: { words: 'Queued', part: 10 },
  pairing: { words: 'Pairing records with payments', part: 45 },
  storing: { words: 'Writing results', part: 85 },
}

/** How far matching is, while it runs. */
export function RunProgress({ step }: { step: RunStep | 'starting' }) {
  const { words, part } = STEPS[step]
  return (
    <div role="status">
      <Text size="sm" mb={4}>
        {words} …
      </Text>
      <Progress value={part} animated aria-label="Matching" />
    </div>
  )
}
