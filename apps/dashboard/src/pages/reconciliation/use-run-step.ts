import { useEffect, useState } from 'react'
import { useFollow } from '../../live/use-follow.ts'

export type RunStep = 'pairing' | 'storing'

/** A run that is not heard of for so long has ended without a word. */
const FORGOTTEN_MS = 300_000

/** Which step of a run is under way, as the news tell; undefined if none is. */
export function useRunStep(id: string): RunStep | undefined {
  const [told, setTold] = useState<{ readonly step: RunStep }>()
  useFollow(({ events, lookAgain }) => {
    // Its end may have been missed.
    if (lookAgain) setTold(undefined)
    for (const event of events) {
      if (event.kind !== 'news' || event.topic !== 'reconciliation.run' || event.id !== id) continue
      const { status, step } = (event.data ?? {}) as { status?: unknown; step?: unknown }
      const isStep = status === 'running' && (step === 'pairing' || step === 'storing')
      setTold(isStep ? { step } : undefined)
    }
  })
  useEffect(() => {
    if (told === undefined) return undefined
    const timer = setTimeout(() => setTold(undefined), FORGOTTEN_MS)
    return () => clearTimeout(timer)
  }, [told])
  return told?.step
}
