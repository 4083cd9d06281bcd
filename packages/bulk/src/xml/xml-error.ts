import { CodedError } from '@posthorn/engine'

/** Why a file cannot be read as XML. */
export type XmlErrorCode =
  'XML_ENCODING' | 'XML_MALFORMED' | 'XML_DOCTYPE' | 'XML_TOO_DEEP' | 'XML_TOO_LARGE'

/** Where in the file, both from 1. */
export interface XmlPlace {
  readonly line: number
  readonly column: number
}

/** A file that is no XML, or more than is read, with the place and the reason. */
export class XmlError extends CodedError<XmlErrorCode> {
  readonly line: number
  readonly column: number
  /** Goes on where the place ends: `closes another element`. Holds nothing of the file. */
  readonly reason: string

  constructor(code: XmlErrorCode, { line, column }: XmlPlace, reason: string) {
    super(code, `line ${line}, column ${column}: ${reason}`)
    this.line = line
    this.column = column
    this.reason = reason
  }
}
