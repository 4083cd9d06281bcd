import { Checkbox, MultiSelect, NumberInput, Select, SimpleGrid, TextInput } from '@mantine/core'
import {
  AMOUNT_COLUMNS,
  CAMT_REFERENCES,
  COLUMN_WORDS,
  MT940_REFERENCES,
  columnIn,
  type ColumnName,
  type Rules,
} from './rules.ts'

/** A value of a rule, and how people call it. */
interface Choice<Value> {
  readonly value: Value
  readonly label: string
}

const DELIMITERS: readonly Choice<Rules['delimiter']>[] = [
  { value: ',', label: 'comma' },
  { value: ';', label: 'semicolon' },
  { value: '\t', label: 'tab' },
  { value: '|', label: 'bar' },
]

const ENCODINGS: readonly Choice<Rules['encoding']>[] = [
  { value: 'utf-8', label: 'UTF-8' },
  { value: 'windows-1252', label: 'Windows-1252, Latin-1' },
]

const DECIMALS: readonly Choice<Rules['decimal']>[] = [
  { value: '.', label: 'point: 1234.50' },
  { value: ',', label: 'comma: 1234,50' },
]

const THOUSANDS: readonly Choice<Rules['thousands']>[] = [
  { value: '', label: 'nothing' },
  { value: '.', label: 'point' },
  { value: ',', label: 'comma' },
  { value: ' ', label: 'blank' },
  { value: "'", label: 'apostrophe' },
]

const SIGNS: readonly Choice<Rules['sign']>[] = [
  { value: 'signed', label: 'in the amount' },
  { value: 'debit-credit', label: 'by the column: debit or credit' },
  { value: 'flag', label: 'in a column of its own' },
]

interface RulesFieldsProps {
  readonly rules: Rules
  readonly onChange: (rules: Rules) => void
}

/** Every rule by which a file is read. */
export function RulesFields({ rules, onChange }: RulesFieldsProps) {
  const set = (change: Partial<Rules>) => onChange({ ...rules, ...change })
  const columns: readonly ColumnName[] = [
    'externalTransactionId',
    'date',
    ...AMOUNT_COLUMNS[rules.sign],
    ...(rules.currency ? [] : (['currency'] as const)),
  ]
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
      <Chosen
        label="Column separator"
        options={DELIMITERS}
        value={rules.delimiter}
        onChange={(delimiter) => set({ delimiter })}
      />
      <Chosen
        label="Encoding"
        options={ENCODINGS}
        value={rules.encoding === 'latin1' ? 'windows-1252' : rules.encoding}
        onChange={(encoding) => set({ encoding })}
      />
      <NumberInput
        label="Header line"
        description="0: no header; columns are positions."
        value={rules.headerLine ?? 0}
        onChange={(line) => set({ headerLine: Number(line) === 0 ? null : Number(line) })}
        min={0}
        max={100}
        allowDecimal={false}
      />
      <TextInput
        label="Date format"
        description="Use yyyy, yy, MM, M, dd, d."
        value={rules.dateFormat}
        onChange={({ currentTarget }) => set({ dateFormat: currentTarget.value })}
      />
      <Chosen
        label="Decimal separator"
        options={DECIMALS}
        value={rules.decimal}
        onChange={(decimal) => set({ decimal })}
      />
      <Chosen
        label="Thousands separator"
        options={THOUSANDS}
        value={rules.thousands}
        onChange={(thousands) => set({ thousands })}
      />
      <Chosen label="Sign" options={SIGNS} value={rules.sign} onChange={(sign) => set({ sign })} />
      <TextInput
        label="Currency of every row"
        description="Leave empty if it is in a column."
        placeholder="EUR"
        value={rules.currency ?? ''}
        onChange={({ currentTarget }) =>
          set({ currency: currentTarget.value.trim().toUpperCase() })
        }
        maxLength={3}
      />
      {columns.map((name) => (
        <TextInput
          key={name}
          label={`Column: ${COLUMN_WORDS[name]}`}
          description="Its name, or its position from 1."
          value={String(rules.columns[name] ?? '')}
          onChange={({ currentTarget }) =>
            set({ columns: { ...rules.columns, [name]: columnIn(currentTarget.value) } })
          }
          required
        />
      ))}
      {rules.sign === 'flag' && (
        <TextInput
          label="Debit flags"
          description="Separated by commas: S,D."
          value={rules.debitFlags?.join(',') ?? ''}
          onChange={({ currentTarget }) => set({ debitFlags: flagsIn(currentTarget.value) })}
          required
        />
      )}
      {rules.sign === 'flag' && (
        <TextInput
          label="Credit flags"
          description="Separated by commas: H,C."
          value={rules.creditFlags?.join(',') ?? ''}
          onChange={({ currentTarget }) => set({ creditFlags: flagsIn(currentTarget.value) })}
          required
        />
      )}
      <MultiSelect
        label="camt.053: transaction id"
        description="The first of these that is there. Empty: EndToEndId, TxId, InstrId, AcctSvcrRef, NtryRef."
        data={[...CAMT_REFERENCES]}
        value={rules.camtReferences ?? []}
        onChange={(chosen) => set({ camtReferences: within(CAMT_REFERENCES, chosen) })}
        clearable
      />
      <MultiSelect
        label="MT940: transaction id"
        description="The first of these that is there. Empty: EREF, customer, KREF, bank."
        data={[...MT940_REFERENCES]}
        value={rules.mt940References ?? []}
        onChange={(chosen) => set({ mt940References: within(MT940_REFERENCES, chosen) })}
        clearable
      />
      <TextInput
        label="Word of the text that is the transaction id"
        description="For camt.053 and MT940: # is a digit, * any letters and digits."
        placeholder="INV-####"
        value={rules.textPattern ?? ''}
        onChange={({ currentTarget }) => set({ textPattern: currentTarget.value.trim() })}
        maxLength={40}
      />
      <Checkbox
        label="Refuse files whose balances do not tie out"
        checked={rules.balances === 'require'}
        onChange={({ currentTarget }) =>
          set({ balances: currentTarget.checked ? 'require' : 'report' })
        }
      />
    </SimpleGrid>
  )
}

/** In the order in which they were chosen. */
function within<Name extends string>(names: readonly Name[], chosen: readonly string[]): Name[] {
  return chosen.flatMap((each) => names.find((name) => name === each) ?? [])
}

interface ChosenProps<Value extends string> {
  readonly label: string
  readonly options: readonly Choice<Value>[]
  readonly value: Value
  readonly onChange: (value: Value) => void
}

function Chosen<Value extends string>({ label, options, value, onChange }: ChosenProps<Value>) {
  return (
    <Select
      label={label}
      data={options.map((option) => ({ ...option }))}
      value={value}
      onChange={(next) => {
        const found = options.find((option) => option.value === next)
        if (found !== undefined) onChange(found.value)
      }}
      allowDeselect={false}
    />
  )
}

function flagsIn(typed: string): string[] {
  return typed.split(',').map((flag) => flag.trim())
}
