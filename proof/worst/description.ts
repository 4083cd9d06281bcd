import type { Schema } from './schema.ts'

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly schema?: Schema
}

/** An operation of the API's description. */
export interface Operation {
  readonly method: string
  readonly path: string
  readonly parameters: readonly Parameter[]
  /** Of a JSON body. */
  readonly body: Schema | undefined
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

/** All operations that a server describes, but streams, which have no end. */
export async function readOperations(url: string): Promise<Operation[]> {
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, Described>>
  }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => METHODS.includes(method))
      .filter(([, { responses = {} }]) => !JSON.stringify(responses).includes('event-stream'))
      .map(([method, { parameters = [], requestBody }]) => ({
        method: method.toUpperCase(),
        path,
        parameters,
        body: requestBody?.content?.['application/json']?.schema,
      })),
  )
}

interface Described {
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content?: Record<string, { readonly schema?: Schema }> }
  readonly responses?: object
}
