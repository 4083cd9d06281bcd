/** What of a described API links are made from and put into. */
interface Document {
  readonly paths?: Readonly<Record<string, Path | undefined>>
}
type Path = Readonly<Record<string, Operation | undefined>>
interface Operation {
  readonly responses?: Readonly<Record<string, Answer | undefined>>
}
interface Answer {
  readonly content?: Readonly<Record<string, { readonly schema?: Described }>>
  links?: Record<string, object>
}
interface Described {
  readonly properties?: Readonly<Record<string, unknown>>
}

const CREATED = ['201', '202']
const METHODS = ['get', 'put', 'post', 'patch', 'delete']

/**
 * Says of every route that creates something which routes take its id: `POST /things` is linked to
 * `/things/{id}` and all below it. Clients that read links, fuzzers among them, find their way by it.
 */
export function linkCreated<Api extends object>(document: Api): Api {
  const { paths = {} } = document as Document
  for (const [path, { post } = {}] of Object.entries(paths)) {
    const created = CREATED.flatMap((status) => post?.responses?.[status] ?? []).filter(hasId)
    if (created.length === 0) continue
    const links = linksBelow(path, paths)
    if (Object.keys(links).length > 0) for (const answer of created) answer.links = links
  }
  return document
}

function hasId({ content = {} }: Answer): boolean {
  return Object.values(content).some(({ schema }) => schema?.properties?.['id'] !== undefined)
}

/** By method and the rest of the path, as `get` or `post-refunds`. */
function linksBelow(path: string, paths: NonNullable<Document['paths']>): Record<string, object> {
  const below = `${path}/{id}`
  const links: Record<string, object> = {}
  for (const [to, operations = {}] of Object.entries(paths)) {
    const rest = to.slice(below.length)
    // What takes a second id needs more than the answer has.
    if (!to.startsWith(below) || !/^(\/[\w-]+)*$/.test(rest)) continue
    for (const method of METHODS.filter((each) => operations[each] !== undefined)) {
      links[`${method}${rest.replaceAll('/', '-')}`] = {
        operationRef: `#/paths/${to.replaceAll('~', '~0').replaceAll('/', '~1')}/${method}`,
        parameters: { id: '$response.body#/id' },
      }
    }
  }
  return links
}
