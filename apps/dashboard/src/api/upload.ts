import { ApiProblem } from './problem.ts'
import { Unreachable } from './unreachable.ts'

export interface UploadOptions {
  readonly path: string
  readonly body: Blob
  /** What the body is: `text/csv`. */
  readonly type: string
  readonly token: string | undefined
  /** Hears from 0 to 1 how much has left. */
  readonly onProgress: (part: number) => void
}

/** Sends a file and tells how far it is, which `fetch` cannot. */
export function upload({ path, body, type, token, onProgress }: UploadOptions): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', path)
    request.setRequestHeader('content-type', type)
    if (token !== undefined) request.setRequestHeader('authorization', `Bearer ${token}`)
    request.upload.addEventListener('progress', ({ loaded, total }) => {
      if (total > 0) onProgress(loaded / total)
    })
    request.addEventListener('load', () => {
      const answer = parsed(request.responseText)
      const { status } = request
      if (status >= 200 && status < 300) resolve(answer)
      else reject(new ApiProblem({ status, headers: headersOf(request) }, answer))
    })
    request.addEventListener('error', () => reject(new Unreachable(undefined)))
    request.addEventListener('abort', () => reject(new Unreachable(undefined)))
    request.send(body)
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function headersOf(request: XMLHttpRequest): Headers {
  const id = request.getResponseHeader('x-request-id')
  return new Headers(id === null ? {} : { 'x-request-id': id })
}
