import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useFresh } from '../../live/use-fresh.ts'
import { isOver, type Order, type SagaItem } from './saga-state.ts'

/** A step that sends nothing is not in the stream: what still moves is looked at now and then. */
const LOOK_MS = 5_000

/** Reads sagas and orders anew when one of their events moves, and while one of these is not over. */
export function useSagaChanges(shown: readonly Pick<SagaItem | Order, 'status'>[]): void {
  const queries = useQueryClient()
  useFresh(['sagas'], (event) => {
    if (event.kind === 'operation') return event.outbox === 'sagas'
    return event.kind === 'transition' && event.outbox === 'sagas.events'
  })
  const isMoving = shown.some((one) => !isOver(one))
  useEffect(() => {
    if (!isMoving) return undefined
    const look = () => void queries.invalidateQueries({ queryKey: ['sagas'] })
    const timer = setInterval(look, LOOK_MS)
    return () => clearInterval(timer)
  }, [isMoving, queries])
}
