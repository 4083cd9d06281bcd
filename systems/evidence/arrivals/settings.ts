import { Type } from 'typebox'

/** How objects under `incoming/` are noticed, as the part of the system's settings. */
export const arrivalSettings = {
  S3_EVENTS_TOKEN: Type.Optional(
    Type.String({
      description: "what the sender of the bucket's events proves itself by, as a bearer token",
      pattern: '^[\\x21-\\x7e]{16,}$',
      secret: true,
    }),
  ),
  EVIDENCE_SWEEP_MS: Type.Integer({
    description: 'how often incoming/ is searched for files that no event announced, in ms',
    minimum: 100,
    maximum: 86_400_000,
    default: 60_000,
  }),
}
