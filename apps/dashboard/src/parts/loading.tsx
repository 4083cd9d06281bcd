import { Center, Loader } from '@mantine/core'

/** Something is on its way. */
export function Loading({ label = 'Loading' }: { label?: string }) {
  return (
    <Center p="xl" role="status" aria-label={label}>
      <Loader size="sm" type="dots" />
    </Center>
  )
}
