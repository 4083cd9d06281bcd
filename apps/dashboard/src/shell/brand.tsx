import { Group, Text } from '@mantine/core'
import { basePath } from '../settings/settings.tsx'

export function Brand() {
  return (
    <Group gap={8} wrap="nowrap">
      <img src={`${basePath()}/assets/posthorn.svg`} width={22} height={22} alt="" />
      <Text fw={650} fz="lg" lh={1}>
        Posthorn
      </Text>
    </Group>
  )
}
