import { type Asked, dataOf, type ReadPath } from '../../api/client.tsx'
import type { paths } from '../../api/schema.d.ts'
import { saveFile } from './file-drop.tsx'

type ParamsOf<Path extends ReadPath> = paths[Path]['get'] extends { parameters: infer Params }
  ? Params
  : never

/** A request whose answer is saved as a file on the user's machine. */
export function saved<Path extends ReadPath>(
  name: string,
  path: Path,
  params: ParamsOf<Path>,
): Asked<void> {
  return async (api) => {
    const content = await dataOf<unknown>(api.GET(path, { params, parseAs: 'blob' } as never))
    saveFile(name, content as Blob)
  }
}
