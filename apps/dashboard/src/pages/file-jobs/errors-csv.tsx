import { Button } from '@mantine/core'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { saveFile } from '../../parts/save-file.ts'
import { useAction } from '../../parts/use-action.ts'

/** The failed lines as they were uploaded, to correct and upload again. */
export function ErrorsCsv({ id }: { id: string }) {
  const api = useApi()
  const save = useAction({
    run: async () => {
      const params = { path: { id } }
      const content = await dataOf(
        api.GET('/api/v1/file-jobs/{id}/errors.csv', { params, parseAs: 'blob' }),
      )
      saveFile(`errors-${id}.csv`, content)
    },
    done: () => 'Error CSV saved: correct its lines and upload it in a new ZIP.',
    changes: [],
  })
  return (
    <Button variant="default" loading={save.isPending} onClick={() => save.mutate(undefined)}>
      Export error CSV
    </Button>
  )
}
