import { useState } from 'react'
import { useSessionKeeper } from '../session/session-context.tsx'
import { ApiProblem } from './problem.ts'
import { upload } from './upload.ts'

export interface Upload {
  /** From 0 to 1; undefined while nothing is sent. */
  readonly progress: number | undefined
  send(path: string, file: Blob, type: string): Promise<unknown>
}

/** Sends files as the logged-in user, and knows how much of one was sent. */
export function useUpload(): Upload {
  const keeper = useSessionKeeper()
  const [progress, setProgress] = useState<number>()
  return {
    progress,
    async send(path, body, type) {
      const token = keeper.current().session?.token
      setProgress(0)
      try {
        return await upload({ path, body, type, token, onProgress: setProgress })
      } catch (error) {
        if (error instanceof ApiProblem && error.isExpired) keeper.expire()
        throw error
      } finally {
        setProgress(undefined)
      }
    },
  }
}
