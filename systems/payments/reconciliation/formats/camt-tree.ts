import type { CamtReference } from './references.ts'

/** A part of a camt.053 statement that is read; all other elements are passed over. */
export interface CamtNode {
  /** What its text is; undefined: it only holds others. */
  readonly field: CamtField | undefined
  /** Which of a payment's references its text is. */
  readonly reference: CamtReference | undefined
  /** What begins and ends with it. */
  readonly group: CamtGroup | undefined
  readonly children: ReadonlyMap<string, CamtNode>
}

export type CamtGroup = 'statement' | 'balance' | 'entry' | 'transaction' | 'charge'

export type CamtField =
  | 'message.page'
  | 'statement.id'
  | 'statement.page'
  | 'statement.sequence'
  | 'statement.from'
  | 'statement.to'
  | 'statement.account'
  | 'balance.type'
  | 'balance.amount'
  | 'balance.sign'
  | 'balance.day'
  | 'entry.amount'
  | 'entry.sign'
  | 'entry.status'
  | 'entry.booked'
  | 'entry.valued'
  | 'entry.NtryRef'
  | 'entry.AcctSvcrRef'
  | 'entry.text'
  | 'transaction.amount'
  | 'transaction.gross'
  | 'transaction.sign'
  | 'transaction.text'
  | 'transaction.reference'
  | 'charge.amount'
  | 'charge.sign'
  | 'charge.included'

interface Shape {
  readonly field?: CamtField
  readonly reference?: CamtReference
  readonly group?: CamtGroup
  readonly in?: Readonly<Record<string, Shape>>
}

function node({ field, reference: name, group, in: children = {} }: Shape): CamtNode {
  const entries = Object.entries(children).map(([child, shape]) => [child, node(shape)] as const)
  return { field, reference: name, group, children: new Map(entries) }
}

const leaf = (field: CamtField): Shape => ({ field })
const date = (field: CamtField): Shape => ({ in: { Dt: leaf(field), DtTm: leaf(field) } })

const charge = {
  Amt: leaf('charge.amount'),
  CdtDbtInd: leaf('charge.sign'),
  ChrgInclInd: leaf('charge.included'),
}
/** In version 2 the charges stand in `Chrgs` itself, which is there several times. */
const charges: Shape = { group: 'charge', in: { ...charge, Rcrd: { group: 'charge', in: charge } } }

const reference = (name: CamtReference): Shape => ({
  field: 'transaction.reference',
  reference: name,
})

const transaction: Shape = {
  group: 'transaction',
  in: {
    Refs: {
      in: {
        MsgId: reference('MsgId'),
        AcctSvcrRef: reference('AcctSvcrRef'),
        PmtInfId: reference('PmtInfId'),
        InstrId: reference('InstrId'),
        EndToEndId: reference('EndToEndId'),
        UETR: reference('UETR'),
        TxId: reference('TxId'),
        ChqNb: reference('ChqNb'),
        ClrSysRef: reference('ClrSysRef'),
      },
    },
    // From version 4 on; before, the amount is that of the details.
    Amt: leaf('transaction.amount'),
    CdtDbtInd: leaf('transaction.sign'),
    AmtDtls: { in: { TxAmt: { in: { Amt: leaf('transaction.gross') } } } },
    Chrgs: charges,
    RmtInf: {
      in: {
        Ustrd: leaf('transaction.text'),
        Strd: { in: { CdtrRefInf: { in: { Ref: reference('CdtrRef') } } } },
      },
    },
    AddtlTxInf: leaf('transaction.text'),
  },
}

const entry: Shape = {
  group: 'entry',
  in: {
    NtryRef: leaf('entry.NtryRef'),
    Amt: leaf('entry.amount'),
    CdtDbtInd: leaf('entry.sign'),
    // Until version 6 the code is the text, from then on it is an element.
    Sts: { field: 'entry.status', in: { Cd: leaf('entry.status') } },
    BookgDt: date('entry.booked'),
    ValDt: date('entry.valued'),
    AcctSvcrRef: leaf('entry.AcctSvcrRef'),
    Chrgs: charges,
    NtryDtls: { in: { TxDtls: transaction } },
    AddtlNtryInf: leaf('entry.text'),
  },
}

const statement: Shape = {
  group: 'statement',
  in: {
    Id: leaf('statement.id'),
    StmtPgntn: { in: { PgNb: leaf('statement.page') } },
    ElctrncSeqNb: leaf('statement.sequence'),
    FrToDt: { in: { FrDtTm: leaf('statement.from'), ToDtTm: leaf('statement.to') } },
    Acct: {
      in: {
        Id: {
          in: {
            IBAN: leaf('statement.account'),
            Othr: { in: { Id: leaf('statement.account') } },
          },
        },
      },
    },
    Bal: {
      group: 'balance',
      in: {
        Tp: { in: { CdOrPrtry: { in: { Cd: leaf('balance.type') } } } },
        Amt: leaf('balance.amount'),
        CdtDbtInd: leaf('balance.sign'),
        Dt: date('balance.day'),
      },
    },
    Ntry: entry,
  },
}

/** What is read below `Document`. */
export const CAMT_DOCUMENT: CamtNode = node({
  in: {
    BkToCstmrStmt: {
      in: {
        GrpHdr: { in: { MsgPgntn: { in: { PgNb: leaf('message.page') } } } },
        Stmt: statement,
      },
    },
  },
})

export const PASSED_OVER: CamtNode = node({})

/** How mistakes call a field, by its element. */
export const ELEMENTS: Readonly<Record<string, string>> = {
  'balance.amount': 'Bal/Amt',
  'balance.sign': 'Bal/CdtDbtInd',
  'entry.amount': 'Ntry/Amt',
  'entry.sign': 'Ntry/CdtDbtInd',
  'entry.status': 'Ntry/Sts',
  'entry.booked': 'Ntry/BookgDt',
  'entry.valued': 'Ntry/ValDt',
  'transaction.amount': 'TxDtls/Amt',
  'transaction.gross': 'TxDtls/AmtDtls/TxAmt/Amt',
  'transaction.sign': 'TxDtls/CdtDbtInd',
  'charge.amount': 'Chrgs/Amt',
}
