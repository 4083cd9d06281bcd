import { hasMark, type Mark } from '@posthorn/bulk/zip'

const EVIDENCE: Readonly<Record<string, readonly Mark[]>> = {
  'application/pdf': [{ bytes: '%PDF-' }],
  'image/jpeg': [{ bytes: '\u00ff\u00d8\u00ff' }],
  'image/png': [{ bytes: '\u0089PNG\r\n\u001a\n' }],
  'image/tiff': [
    { bytes: 'II*\0' },
    { bytes: 'MM\0*' },
    // BigTIFF
    { bytes: 'II+\0' },
    { bytes: 'MM\0+' },
  ],
}

/** The content type of evidence by its first bytes; undefined for anything that is none. */
export function evidenceType(beginning: Buffer): string | undefined {
  return Object.keys(EVIDENCE).find((type) =>
    EVIDENCE[type]?.some((mark) => hasMark(beginning, mark)),
  )
}
