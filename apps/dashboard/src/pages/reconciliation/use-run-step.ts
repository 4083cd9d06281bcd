import { useEffect, useState } from 'react'
import { useFollow } from '../../live/use-follow.ts'

export type RunStep = 'pairing' | 'storing'

/** A run that is not heard of for so long has ended without a word. */
const FORGOTTEN_MS = 300_000

/** Which step of a run is in progress, by its announcements; undefined if none is. */
export function useRunStep(id: string): RunStep | undefined {
  const [latest, setLatest] = useState<{ readonly step: RunStep }>()
  useFollow(({ events, lookAgain }) => {
    // Its end may have been missed.
    if (lookAgain) setLatest(undefined)
    for (const event of events) {
      if (event.kind !== 'news' || event.topic !== 'reconciliation.run' || event.id !== id) continue
      const { status, step } = (event.data ?? {}) as { status?: unknown; step?: unknown }
      const isStep = status === 'running' && (step === 'pairing' || step === 'storing')
      setLatest(isStep ? { step } : undefined)
    }
  })
  useEffect(() => {
    if (latest === undefined) return undefined
    const timer = setTimeout(() => setLatest(undefined), FORGOTTEN_MS)
    return () => clearTimeout(timer)
  }, [latest])
  return latest?.step
}
