import { useRouter, type ErrorComponentProps } from '@tanstack/react-router'
import { ErrorState } from '../parts/error-state.tsx'

/** A page that broke; the navigation beside it still works. */
export function PageFailed({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const onRetry = () => {
    reset()
    void router.invalidate()
  }
  return <ErrorState error={error} onRetry={onRetry} />
}
