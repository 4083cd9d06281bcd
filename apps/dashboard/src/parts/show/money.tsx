import { TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { formatMoney, parseMoney, plainMoney } from '../../format/money.ts'

/** An amount in minor units. */
export function Money({ minor, currency }: { minor: number; currency: string }) {
  return <span style={{ whiteSpace: 'nowrap' }}>{formatMoney(minor, currency)}</span>
}

interface MoneyInputProps {
  readonly label: string
  readonly currency: string
  /** In minor units: what it begins with. */
  readonly initial: number
  /** In minor units, where there is a limit. */
  readonly most?: number
  readonly description?: ReactNode
  /** In minor units; undefined for what is no amount of this currency, or too much. */
  readonly onChange: (minor: number | undefined) => void
}

/** An amount as people write it: `12.50`. */
export function MoneyInput(props: MoneyInputProps) {
  const { label, currency, initial, most = Number.MAX_SAFE_INTEGER, description, onChange } = props
  const [typed, setTyped] = useState(() => plainMoney(initial, currency))
  const read = (text: string) => {
    const minor = parseMoney(text, currency)
    return minor === undefined || minor < 1 || minor > most ? undefined : minor
  }
  const isWrong = typed.trim() !== '' && read(typed) === undefined
  return (
    <TextInput
      label={label}
      description={description}
      value={typed}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value)
        onChange(read(value))
      }}
      error={
        isWrong
          ? `An amount of ${currency}, such as ${plainMoney(Math.min(most, 1_250), currency)}`
          : null
      }
      inputMode="decimal"
      required
      data-autofocus
    />
  )
}
