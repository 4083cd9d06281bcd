import { Anchor, Stack, Text } from '@mantine/core'

/** What the simulated gateway does with amounts that end so. */
const FATES = [
  { amount: 1_999, ends: 'any other amount', means: 'is charged, and its webhook arrives' },
  { amount: 1_002, ends: 'ends in 02', means: 'is declined' },
  { amount: 1_008, ends: 'ends in 08', means: 'is charged, but the answer never arrives' },
  { amount: 1_050, ends: 'ends in 50', means: 'makes the gateway fail; nothing is charged' },
] as const

/** In development amounts choose what happens. */
export function MagicAmounts({ onChoose }: { onChoose: (amount: number) => void }) {
  return (
    <Stack gap={2}>
      <Text size="xs" fw={600}>
        The gateway is simulated. An amount that
      </Text>
      {FATES.map(({ amount, ends, means }) => (
        <Text key={amount} size="xs">
          <Anchor
            component="button"
            type="button"
            size="xs"
            onClick={() => onChoose(amount)}
            aria-label={`${ends}: choose ${amount}`}
          >
            {ends}
          </Anchor>{' '}
          {means}
        </Text>
      ))}
    </Stack>
  )
}
