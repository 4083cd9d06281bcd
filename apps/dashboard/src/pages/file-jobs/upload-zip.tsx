import { Button, Group, Stack } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useUpload } from '../../api/use-upload.ts'
import { FileDrop } from '../../parts/file-drop.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useSettings } from '../../settings/settings-context.tsx'
import { sampleZip } from './sample-zip.ts'

/** Takes a ZIP and goes to its job. */
export function UploadZip() {
  const navigate = useNavigate()
  const { production } = useSettings()
  const { progress, send } = useUpload()
  const upload = useAction({
    run: async (file: File) => {
      const path = `/api/v1/file-jobs?filename=${encodeURIComponent(file.name)}`
      return (await send(path, file, 'application/zip')) as { fileJobId: string }
    },
    done: (_, { name }) => `${name} uploaded; processing has started.`,
    changes: ['file-jobs'],
  })
  const take = (file: File) =>
    upload.mutate(file, {
      onSuccess: ({ fileJobId: id }) => void navigate({ to: '/file-jobs/$id', params: { id } }),
    })
  return (
    <Stack gap="xs">
      <FileDrop
        label="Drop a ZIP here, or choose one"
        hint="One CSV with the columns case_id and evidence_files, and the PDF, JPEG, PNG or TIFF files it names"
        accept=".zip,application/zip"
        onFile={take}
        progress={progress}
      />
      {!production && (
        <Group gap="xs">
          <Button variant="default" loading={upload.isPending} onClick={() => take(sampleZip())}>
            Try with a sample
          </Button>
        </Group>
      )}
    </Stack>
  )
}
