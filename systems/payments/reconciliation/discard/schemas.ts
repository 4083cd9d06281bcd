import { Type } from 'typebox'
import { ProposalResource } from '../../approvals/proposal.ts'
import { RunResource, runParams, tags } from '../schemas.ts'

export const discardRun = {
  tags,
  summary: 'Take a file back: its matches are undone, and it can be uploaded again',
  description:
    'For a file that was read by the wrong profile, or that should never have come. Its records stay to be looked at; the payments and refunds that they had are free again. A run that is discarded cannot be run or decided on: 409 `RECONCILIATION_DISCARDED`, also if it is discarded twice.',
  params: runParams,
  body: Type.Object({
    reason: Type.String({ minLength: 1, maxLength: 2_000, description: 'why, in your words' }),
  }),
  response: { 200: RunResource, 202: ProposalResource },
}
