import { Progress, Text, VisuallyHidden } from '@mantine/core'
import { IconFileUpload } from '@tabler/icons-react'
import { useId, useState } from 'react'
import classes from './file-drop.module.css'

interface FileDropProps {
  /** What to do here: `Drop a ZIP here, or choose one`. */
  readonly label: string
  /** What is taken and how large it may be. */
  readonly hint: string
  /** As of an input: `.zip`, `.csv,text/csv`. */
  readonly accept: string
  readonly onFile: (file: File) => void
  /** Of a running upload, from 0 to 1. */
  readonly progress?: number | undefined
}

/** Takes one file, dropped or chosen. */
export function FileDrop({ label, hint, accept, onFile, progress }: FileDropProps) {
  const id = useId()
  const [isOver, setIsOver] = useState(false)
  const isBusy = progress !== undefined
  const take = (file: File | undefined) => {
    if (file !== undefined && !isBusy) onFile(file)
  }
  return (
    // Dropping is the mouse's way; the input inside serves the keyboard and screen readers.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <label
      htmlFor={id}
      className={classes['drop']}
      data-over={isOver || undefined}
      data-busy={isBusy || undefined}
      onDragOver={(event) => {
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setIsOver(false)
        take(event.dataTransfer.files[0])
      }}
    >
      <VisuallyHidden>
        <input
          id={id}
          type="file"
          accept={accept}
          disabled={isBusy}
          onChange={({ currentTarget }) => {
            take(currentTarget.files?.[0])
            // The same file, mended, can be chosen again.
            currentTarget.value = ''
          }}
        />
      </VisuallyHidden>
      <IconFileUpload size={24} stroke={1.5} aria-hidden />
      <Text fw={600} size="sm">
        {label}
      </Text>
      <Text c="dimmed" size="xs">
        {hint}
      </Text>
      {isBusy && <Progress value={progress * 100} w="100%" mt={6} aria-label="Upload" />}
    </label>
  )
}

/** Saves a file on the user's machine. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
