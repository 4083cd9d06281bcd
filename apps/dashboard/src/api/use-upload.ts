import { useState } from 'react'
import { ApiProblem, Unreachable } from './problem.ts'
import { useSessionKeeper } from '../session/session-context.tsx'

interface Upload {
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
      setProgress(0)
      try {
        return await upload({ path, body, type, onProgress: setProgress })
      } catch (error) {
        if (error instanceof ApiProblem && error.isExpired) keeper.expire()
        throw error
      } finally {
        setProgress(undefined)
      }
    },
  }
}

interface UploadOptions {
  readonly path: string
  readonly body: Blob
  /** What the body is: `text/csv`. */
  readonly type: string
  /** Hears from 0 to 1 how much has left. */
  readonly onProgress: (part: number) => void
}

/** Sends a file and tells how far it is, which `fetch` cannot. */
function upload({ path, body, type, onProgress }: UploadOptions): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', path)
    request.responseType = 'json'
    request.setRequestHeader('content-type', type)
    request.upload.addEventListener('progress', ({ loaded, total }) => {
      if (total > 0) onProgress(loaded / total)
    })
    request.addEventListener('load', () => {
      const { status, response } = request
      const headers = { get: (name: string) => request.getResponseHeader(name) }
      if (status >= 200 && status < 300) resolve(response)
      else reject(new ApiProblem({ status, headers }, response))
    })
    request.addEventListener('error', () => reject(new Unreachable(undefined)))
    request.addEventListener('abort', () => reject(new Unreachable(undefined)))
    request.send(body)
  })
}
