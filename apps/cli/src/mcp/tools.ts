import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import type { Finding } from '../doctor/finding.ts'
import { explain } from '../errors.ts'
import type { Session } from '../session.ts'

/** What the tools work with. */
export interface Tools {
  readonly session: Session
  /** The person or account that the audit names. */
  readonly operator: string
  /** All findings of `posthorn doctor`. */
  diagnose(): Promise<readonly Finding[]>
}

/** A tool's answer as JSON; an error becomes an answer, too, so that the model can correct itself. */
export async function answer(work: () => Promise<object>): Promise<CallToolResult> {
  try {
    return { content: [{ type: 'text', text: JSON.stringify(await work(), undefined, 2) }] }
  } catch (error) {
    return { isError: true, content: [{ type: 'text', text: explain(error) }] }
  }
}
