/** Why a ZIP is not taken. */
export const ZIP_REASONS = {
  NOT_A_ZIP: 'The file is not a ZIP archive.',
  CORRUPT: 'The archive is damaged or cut off.',
  EXTRA_BYTES: 'The archive has bytes before or behind it that do not belong to it.',
  TOO_LARGE: 'The archive is larger than allowed.',
  TOO_MANY_ENTRIES: 'The archive has more entries than allowed.',
  TOO_MUCH_INFLATED: 'The archive holds more than allowed when it is unpacked.',
  RATIO_EXCEEDED: 'The archive is packed more tightly than honest files can be.',
  ENCRYPTED: 'The archive or a file in it is encrypted.',
  UNSUPPORTED_COMPRESSION: 'A file is packed by a method other than store or deflate.',
  UNSAFE_NAME: 'A name in the archive points elsewhere or cannot be used.',
  SPECIAL_ENTRY: 'The archive holds a link or a device.',
  DUPLICATE_NAME: 'Two entries have the same name, or names that some systems cannot tell apart.',
  OVERLAPPING_ENTRIES: 'Two entries share bytes of the archive.',
  HEADER_MISMATCH: 'The directory of the archive and its entries contradict each other.',
  NESTED_ARCHIVE: 'The archive holds another archive.',
} as const

export type ZipReason = keyof typeof ZIP_REASONS

/** The whole ZIP is refused, whatever is in it. */
export class ZipRejected extends Error {
  readonly code = 'ZIP_REJECTED'
  readonly reason: ZipReason
  /** A sentence about this archive, for its sender. */
  readonly detail: string

  constructor(reason: ZipReason, detail: string, options?: ErrorOptions) {
    super(`${reason}: ${detail}`, options)
    this.name = 'ZipRejected'
    this.reason = reason
    this.detail = detail
  }
}
