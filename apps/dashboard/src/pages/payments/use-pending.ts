import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Payment } from './payment.ts'

/** The webhook of a payment is on no stream: what waits for one is looked at so often. */
const EVERY_MS = 3_000

/** Payments that others make appear at least so often. */
const OTHERS_MS = 15_000

/** Reads payments anew as long as they are shown, sooner while one of them is pending. */
export function usePending(payments: readonly Pick<Payment, 'status'>[]): void {
  const queries = useQueryClient()
  const isPending = payments.some(({ status }) => status === 'pending')
  useEffect(() => {
    const look = () => {
      if (document.visibilityState !== 'visible') return
      void queries.invalidateQueries({ queryKey: ['payments', 'list'] })
    }
    const timer = setInterval(look, isPending ? EVERY_MS : OTHERS_MS)
    return () => clearInterval(timer)
  }, [queries, isPending])
}
