import { Group, Modal, Stack } from '@mantine/core'
import { useState } from 'react'
import { FileDrop } from '../../parts/file-drop.tsx'
import { useSettings } from '../../settings/settings-context.tsx'
import { SampleStatement } from './sample-statement.tsx'
import { StatementForm } from './statement-form.tsx'

/** Takes a statement and shows how it will be read before it is stored. */
export function StatementDrop() {
  const { production } = useSettings()
  const [file, setFile] = useState<File>()
  const close = () => setFile(undefined)
  return (
    <Stack gap="xs">
      <FileDrop
        label="Drop a CSV of your bank here, or choose one"
        hint="You see its first 20 rows before anything is stored; a profile says how your bank writes its files"
        accept=".csv,.txt,text/csv"
        onFile={setFile}
      />
      {!production && (
        <Group gap="xs">
          <SampleStatement onFile={setFile} />
        </Group>
      )}
      <Modal opened={file !== undefined} onClose={close} title="Upload this file?" size="xl">
        {file !== undefined && <StatementForm file={file} onClose={close} />}
      </Modal>
    </Stack>
  )
}
