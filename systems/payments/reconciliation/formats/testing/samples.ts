/** Statements as banks write them, made up: a day of an account in euros that begins with 1,000.00. */

/** Version 2, with a prefix, as older systems send it: codes as text, amounts of a batch in details. */
export const CAMT_02 = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<n0:Document xmlns:n0="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <n0:BkToCstmrStmt>
    <n0:GrpHdr><n0:MsgId>053D2026-03-07T20:30:47.0N170000001</n0:MsgId><n0:CreDtTm>2026-03-07T20:30:47+01:00</n0:CreDtTm></n0:GrpHdr>
    <n0:Stmt>
      <n0:Id>0352C5320260307</n0:Id>
      <n0:ElctrncSeqNb>44</n0:ElctrncSeqNb>
      <n0:CreDtTm>2026-03-07T20:30:47+01:00</n0:CreDtTm>
      <n0:Acct><n0:Id><n0:IBAN>DE02120300000000202051</n0:IBAN></n0:Id><n0:Ccy>EUR</n0:Ccy></n0:Acct>
      <n0:Bal>
        <n0:Tp><n0:CdOrPrtry><n0:Cd>PRCD</n0:Cd></n0:CdOrPrtry></n0:Tp>
        <n0:Amt Ccy="EUR">1000.00</n0:Amt><n0:CdtDbtInd>CRDT</n0:CdtDbtInd><n0:Dt><n0:Dt>2026-03-06</n0:Dt></n0:Dt>
      </n0:Bal>
      <n0:Bal>
        <n0:Tp><n0:CdOrPrtry><n0:Cd>CLBD</n0:Cd></n0:CdOrPrtry></n0:Tp>
        <n0:Amt Ccy="EUR">1189.50</n0:Amt><n0:CdtDbtInd>CRDT</n0:CdtDbtInd><n0:Dt><n0:Dt>2026-03-07</n0:Dt></n0:Dt>
      </n0:Bal>
      <n0:Bal>
        <n0:Tp><n0:CdOrPrtry><n0:Cd>CLAV</n0:Cd></n0:CdOrPrtry></n0:Tp>
        <n0:Amt Ccy="EUR">989.50</n0:Amt><n0:CdtDbtInd>CRDT</n0:CdtDbtInd><n0:Dt><n0:Dt>2026-03-07</n0:Dt></n0:Dt>
      </n0:Bal>
      <n0:Ntry>
        <n0:Amt Ccy="EUR">49.50</n0:Amt><n0:CdtDbtInd>CRDT</n0:CdtDbtInd><n0:Sts>BOOK</n0:Sts>
        <n0:BookgDt><n0:Dt>2026-03-07</n0:Dt></n0:BookgDt><n0:ValDt><n0:Dt>2026-03-08</n0:Dt></n0:ValDt>
        <n0:AcctSvcrRef>2026030700000001</n0:AcctSvcrRef>
        <n0:BkTxCd><n0:Domn><n0:Cd>PMNT</n0:Cd><n0:Fmly><n0:Cd>RCDT</n0:Cd><n0:SubFmlyCd>ESCT</n0:SubFmlyCd></n0:Fmly></n0:Domn></n0:BkTxCd>
        <n0:NtryDtls><n0:TxDtls>
          <n0:Refs><n0:EndToEndId>order-4711</n0:EndToEndId></n0:Refs>
          <n0:AmtDtls><n0:TxAmt><n0:Amt Ccy="EUR">50.00</n0:Amt></n0:TxAmt></n0:AmtDtls>
          <n0:Chrgs><n0:Amt Ccy="EUR">0.50</n0:Amt><n0:CdtDbtInd>DBIT</n0:CdtDbtInd></n0:Chrgs>
          <n0:RltdPties><n0:Dbtr><n0:Nm>Jürgen &amp; Söhne</n0:Nm></n0:Dbtr></n0:RltdPties>
          <n0:RmtInf><n0:Ustrd>Invoice INV-2026 of March</n0:Ustrd></n0:RmtInf>
        </n0:TxDtls></n0:NtryDtls>
      </n0:Ntry>
      <n0:Ntry>
        <n0:Amt Ccy="EUR">160.00</n0:Amt><n0:CdtDbtInd>CRDT</n0:CdtDbtInd><n0:Sts>BOOK</n0:Sts>
        <n0:BookgDt><n0:Dt>2026-03-07</n0:Dt></n0:BookgDt>
        <n0:AcctSvcrRef>2026030700000002</n0:AcctSvcrRef>
        <n0:NtryDtls>
          <n0:Btch><n0:NbOfTxs>3</n0:NbOfTxs></n0:Btch>
          <n0:TxDtls>
            <n0:Refs><n0:EndToEndId>order-1</n0:EndToEndId></n0:Refs>
            <n0:AmtDtls><n0:TxAmt><n0:Amt Ccy="EUR">100.00</n0:Amt></n0:TxAmt></n0:AmtDtls>
          </n0:TxDtls>
          <n0:TxDtls>
            <n0:Refs><n0:EndToEndId>NOTPROVIDED</n0:EndToEndId><n0:TxId>tx-2</n0:TxId></n0:Refs>
            <n0:AmtDtls><n0:TxAmt><n0:Amt Ccy="EUR">40.00</n0:Amt></n0:TxAmt></n0:AmtDtls>
          </n0:TxDtls>
          <n0:TxDtls>
            <n0:Refs><n0:EndToEndId>order-3</n0:EndToEndId></n0:Refs>
          </n0:TxDtls>
        </n0:NtryDtls>
      </n0:Ntry>
      <n0:Ntry>
        <n0:Amt Ccy="EUR">20.00</n0:Amt><n0:CdtDbtInd>DBIT</n0:CdtDbtInd><n0:RvslInd>true</n0:RvslInd><n0:Sts>BOOK</n0:Sts>
        <n0:BookgDt><n0:DtTm>2026-03-07T09:12:00+01:00</n0:DtTm></n0:BookgDt>
        <n0:AcctSvcrRef>2026030700000003</n0:AcctSvcrRef>
      </n0:Ntry>
      <n0:Ntry>
        <n0:Amt Ccy="EUR">200.00</n0:Amt><n0:CdtDbtInd>DBIT</n0:CdtDbtInd><n0:Sts>PDNG</n0:Sts>
        <n0:ValDt><n0:Dt>2026-03-09</n0:Dt></n0:ValDt>
        <n0:NtryDtls><n0:TxDtls><n0:Refs><n0:EndToEndId>tomorrow</n0:EndToEndId></n0:Refs></n0:TxDtls></n0:NtryDtls>
      </n0:Ntry>
    </n0:Stmt>
  </n0:BkToCstmrStmt>
</n0:Document>
`

/** Version 8, in an envelope with a header of its own: codes as elements, amounts at each payment. */
export const CAMT_08 = `<?xml version="1.0" encoding="UTF-8"?>
<BizMsgEnvlp><AppHdr xmlns="urn:iso:std:iso:20022:tech:xsd:head.001.001.02"><BizMsgIdr>X1</BizMsgIdr></AppHdr>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>
<GrpHdr><MsgId>M1</MsgId><CreDtTm>2026-03-31T21:00:00Z</CreDtTm></GrpHdr>
<Stmt><Id>STMT-1</Id><Acct><Id><Othr><Id>4711-0815</Id></Othr></Id></Acct>
<Bal><Tp><CdOrPrtry><Cd>OPBD</Cd></CdOrPrtry></Tp><Amt Ccy="JPY">500</Amt><CdtDbtInd>DBIT</CdtDbtInd><Dt><Dt>2026-03-31</Dt></Dt></Bal>
<Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp><Amt Ccy="JPY">1450.000</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-03-31</Dt></Dt></Bal>
<Ntry><NtryRef>1</NtryRef><Amt Ccy="JPY">2000</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2026-03-31</Dt></BookgDt>
<NtryDtls><TxDtls><Refs><InstrId>in-1</InstrId><UETR>7a0f0f6e-4a1c-4f0b-9d2e-0e5a3c1f8b77</UETR></Refs><Amt Ccy="JPY">2000</Amt><CdtDbtInd>CRDT</CdtDbtInd>
<Chrgs><TtlChrgsAndTaxAmt Ccy="JPY">50</TtlChrgsAndTaxAmt><Rcrd><Amt Ccy="JPY">50</Amt><CdtDbtInd>DBIT</CdtDbtInd><ChrgInclInd>true</ChrgInclInd></Rcrd></Chrgs></TxDtls></NtryDtls></Ntry>
<Ntry><Amt Ccy="JPY">50</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2026-03-31</Dt></BookgDt><AcctSvcrRef>fee-of-march</AcctSvcrRef></Ntry>
</Stmt></BkToCstmrStmt></Document></BizMsgEnvlp>`

/** Of a German bank, in SWIFT's blocks and with CRLF: field 86 in parts that run over the lines. */
export const MT940_GERMAN = [
  '{1:F01COBADEFFXXXX0000000000}{2:O9401200260307COBADEFFXXXX00000000002603071200N}{4:',
  ':20:STARTUMSE',
  ':25:10050000/0123456789',
  ':28C:00044/001',
  ':60F:C260306EUR1000,00',
  ':61:2603070307CR50,00NTRFKREF+//B1260307',
  ':86:166?00GUTSCHRIFT?109310?20EREF+order-4711-of-the-fift?21h of March?22SVWZ+Invoice',
  '?23 INV-2026?30COBADEFF?31DE02120300000000202051?32JÜRGEN',
  ':61:2603070307D20,NTRFNONREF//B2260307',
  'supplementary details',
  ':86:020?00UEBERWEISUNG?20SVWZ+no reference at all',
  ':61:2603070307RD5,50NRTIret-7',
  ':86:unstructured text of a returned direct debit',
  ':62F:C260307EUR1035,50',
  ':64:C260307EUR1035,50',
  '-}{5:{CHK:3916EF336FF7}}',
  '',
].join('\r\n')

/** Of a Dutch bank: no blocks, two messages, the second one over the turn of the year and in debit. */
export const MT940_DUTCH = `ABNANL2A
940
ABNANL2A
:20:ABN AMRO BANK NV
:25:NL91ABNA0417164300
:28:12301/1
:60F:C251230EUR0,
:61:2512311231C12,34N654NONREF//0030
:86:/TRTP/SEPA OVERBOEKING/IBAN/NL91ABNA0417164300/EREF/web-99/REMI/tha
nk you/NAME/J. JANSEN
:62M:C251231EUR12,34
-
:20:ABN AMRO BANK NV
:25:NL91ABNA0417164300
:28:12301/2
:60M:C251231EUR12,34
:61:2601011231RC15,00NTRFdup
:62F:D260101EUR2,66
:86:information about the account
-
`
