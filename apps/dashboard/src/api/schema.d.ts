// The API as a server with all systems describes it at /openapi.json.
// Written by `node scripts/openapi.mjs`; a change belongs into a route's schema.
export interface paths {
  '/api/v1/alerts': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Alerts that need an operator, newest first */
    get: {
      parameters: {
        query?: {
          code?: string
          /** @description `nextCursor` of the page before */
          cursor?: string
          limit?: number
          /** @description a field of the items, `-` before it for the highest first */
          sort?: '-raisedAt' | 'raisedAt'
          source?: string
          status?: 'open' | 'acknowledged' | 'recovered'
          tenant?: string
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                acknowledgedAt: string | null
                acknowledgedBy: string | null
                code: string
                detail: string
                id: string
                /** Format: date-time */
                raisedAt: string
                recoveredAt: string | null
                source: string
                status: 'open' | 'acknowledged' | 'recovered'
                subject: string
                tenant: string | null
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/alerts/{id}/acknowledge': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Acknowledge an alert; the first acknowledgement stays */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              acknowledgedAt: string | null
              acknowledgedBy: string | null
              code: string
              detail: string
              id: string
              /** Format: date-time */
              raisedAt: string
              recoveredAt: string | null
              source: string
              status: 'open' | 'acknowledged' | 'recovered'
              subject: string
              tenant: string | null
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/approval-limits': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Amounts above which a second person must approve */
    get: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description for other currencies */
              defaults: {
                /** @description in minor units: more takes a second person; null: never */
                amount: number | null
                /** @description `*` for all others */
                currency: string
              }[]
              /** @description the organisation's own */
              limits: {
                /** @description in minor units: more takes a second person; null: never */
                amount: number | null
                /** @description `*` for all others */
                currency: string
              }[]
            }
          }
        }
      }
    }
    /**
     * Set the amounts above which a second person must approve
     * @description Lower limits hold at once. To raise or remove one takes a second admin: 202 with the proposal.
     */
    put: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            limits: {
              /** @description in minor units: more takes a second person; null: never */
              amount: number | null
              /** @description `*` for all others */
              currency: string
            }[]
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description for other currencies */
              defaults: {
                /** @description in minor units: more takes a second person; null: never */
                amount: number | null
                /** @description `*` for all others */
                currency: string
              }[]
              /** @description the organisation's own */
              limits: {
                /** @description in minor units: more takes a second person; null: never */
                amount: number | null
                /** @description `*` for all others */
                currency: string
              }[]
            }
          }
        }
        /** @description Default Response */
        202: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description in minor units */
              amount: number | null
              currency: string | null
              decidedAt: string | null
              decidedBy: string | null
              decisionReason: string | null
              /** Format: date-time */
              expiresAt: string
              /** Format: uuid */
              id: string
              /** @enum {unknown} */
              kind: 'refund' | 'capture' | 'void' | 'decision' | 'discard' | 'limits'
              /** Format: date-time */
              proposedAt: string
              proposedBy: string
              reason: string | null
              request: {
                [key: string]: unknown
              }
              result: {
                [key: string]: unknown
              } | null
              /** @enum {unknown} */
              status: 'pending' | 'approved' | 'rejected' | 'withdrawn' | 'expired'
              /** @description the payment, `run/line` of a record, the run, or `limits` */
              subject: string
            }
          }
        }
      }
    }
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/approvals': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Pending and decided approvals, newest first */
    get: {
      parameters: {
        query?: {
          /** @description `nextCursor` of the page before */
          cursor?: string
          limit?: number
          /** @description a field of the items, `-` before it for the highest first */
          sort?: '-proposedAt' | 'proposedAt'
          status?: 'pending' | 'approved' | 'rejected' | 'withdrawn' | 'expired'
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                /** @description in minor units */
                amount: number | null
                currency: string | null
                decidedAt: string | null
                decidedBy: string | null
                decisionReason: string | null
                /** Format: date-time */
                expiresAt: string
                /** Format: uuid */
                id: string
                /** @enum {unknown} */
                kind: 'refund' | 'capture' | 'void' | 'decision' | 'discard' | 'limits'
                /** Format: date-time */
                proposedAt: string
                proposedBy: string
                reason: string | null
                request: {
                  [key: string]: unknown
                }
                result: {
                  [key: string]: unknown
                } | null
                /** @enum {unknown} */
                status: 'pending' | 'approved' | 'rejected' | 'withdrawn' | 'expired'
                /** @description the payment, `run/line` of a record, the run, or `limits` */
                subject: string
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/approvals/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** One proposal */
    get: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description in minor units */
              amount: number | null
              currency: string | null
              decidedAt: string | null
              decidedBy: string | null
              decisionReason: string | null
              /** Format: date-time */
              expiresAt: string
              /** Format: uuid */
              id: string
              /** @enum {unknown} */
              kind: 'refund' | 'capture' | 'void' | 'decision' | 'discard' | 'limits'
              /** Format: date-time */
              proposedAt: string
              proposedBy: string
              reason: string | null
              request: {
                [key: string]: unknown
              }
              result: {
                [key: string]: unknown
              } | null
              /** @enum {unknown} */
              status: 'pending' | 'approved' | 'rejected' | 'withdrawn' | 'expired'
              /** @description the payment, `run/line` of a record, the run, or `limits` */
              subject: string
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/approvals/{id}/approve': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Approve what another user proposed; it is carried out, once
     * @description The proposal and what it does are stored together. Where that is not possible any more, the answer is what the direct call would have answered, and the proposal waits on.
     */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: {
        content: {
          'application/json': {
            /** @description why, in your words */
            reason?: string
          } | null
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description in minor units */
              amount: number | null
              currency: string | null
              decidedAt: string | null
              decidedBy: string | null
              decisionReason: string | null
              /** Format: date-time */
              expiresAt: string
              /** Format: uuid */
              id: string
              /** @enum {unknown} */
              kind: 'refund' | 'capture' | 'void' | 'decision' | 'discard' | 'limits'
              /** Format: date-time */
              proposedAt: string
              proposedBy: string
              reason: string | null
              request: {
                [key: string]: unknown
              }
              result: {
                [key: string]: unknown
              } | null
              /** @enum {unknown} */
              status: 'pending' | 'approved' | 'rejected' | 'withdrawn' | 'expired'
              /** @description the payment, `run/line` of a record, the run, or `limits` */
              subject: string
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/approvals/{id}/reject': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Reject what another user proposed */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            /** @description why, in your words */
            reason: string
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description in minor units */
              amount: number | null
              currency: string | null
              decidedAt: string | null
              decidedBy: string | null
              decisionReason: string | null
              /** Format: date-time */
              expiresAt: string
              /** Format: uuid */
              id: string
              /** @enum {unknown} */
              kind: 'refund' | 'capture' | 'void' | 'decision' | 'discard' | 'limits'
              /** Format: date-time */
              proposedAt: string
              proposedBy: string
              reason: string | null
              request: {
                [key: string]: unknown
              }
              result: {
                [key: string]: unknown
              } | null
              /** @enum {unknown} */
              status: 'pending' | 'approved' | 'rejected' | 'withdrawn' | 'expired'
              /** @description the payment, `run/line` of a record, the run, or `limits` */
              subject: string
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/approvals/{id}/withdraw': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Take a proposal of your own back */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: {
        content: {
          'application/json': {
            /** @description why, in your words */
            reason?: string
          } | null
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description in minor units */
              amount: number | null
              currency: string | null
              decidedAt: string | null
              decidedBy: string | null
              decisionReason: string | null
              /** Format: date-time */
              expiresAt: string
              /** Format: uuid */
              id: string
              /** @enum {unknown} */
              kind: 'refund' | 'capture' | 'void' | 'decision' | 'discard' | 'limits'
              /** Format: date-time */
              proposedAt: string
              proposedBy: string
              reason: string | null
              request: {
                [key: string]: unknown
              }
              result: {
                [key: string]: unknown
              } | null
              /** @enum {unknown} */
              status: 'pending' | 'approved' | 'rejected' | 'withdrawn' | 'expired'
              /** @description the payment, `run/line` of a record, the run, or `limits` */
              subject: string
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/audit': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Transitions of messages and actions of operators, newest first
     * @description A page looks at a bounded number of entries: it may be short, or empty, and yet not the last.
     */
    get: {
      parameters: {
        query?: {
          actor?: string
          code?: string
          /** @description `nextCursor` of the page before */
          cursor?: string
          kind?: 'transition' | 'operation'
          limit?: number
          messageId?: string
          outbox?: string
          search?: string
          since?: string
          status?: string
          tenant?: string
          until?: string
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: (
                | {
                    actor: string
                    /** Format: date-time */
                    at: string
                    attempt: number | null
                    code: string | null
                    error: string | null
                    from: string | null
                    id: string
                    /** @enum {string} */
                    kind: 'transition'
                    messageId: string
                    outbox: string
                    reason: string | null
                    tenant: string | null
                    to: string
                  }
                | {
                    actor: string
                    /** Format: date-time */
                    at: string
                    id: string
                    /** @enum {string} */
                    kind: 'operation'
                    operation: string
                    outbox: string | null
                    reason: string | null
                    subject: string
                    tenant: string | null
                  }
              )[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/audit/entries': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Who did what in payments, webhooks, reconciliation, evidence and messages, newest first
     * @description Every user sees the organisation's own entries. Entries of several audits are merged by when they really happened, however the business clock was moved. What became of a row of an evidence file is found by the id of the row.
     */
    get: {
      parameters: {
        query?: {
          action?: string
          actor?: string
          /** @description `nextCursor` of the page before */
          cursor?: string
          entityId?: string
          entityType?: string
          limit?: number
          since?: string
          tenant?: string
          until?: string
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                action: string
                actor: string
                /**
                 * Format: date-time
                 * @description when it really happened
                 */
                at: string
                /** @description the table */
                audit: string
                /** @description by the business clock, if the audit has that time too */
                businessAt: string | null
                details: unknown
                entityId: string
                entityType: string
                id: string
                tenant: string | null
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/charts': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Charts: latency, throughput, failures by code, destinations, marks
     * @description Stretches of one minute up to three hours, of five minutes up to a day, of half an hour beyond. Made of what relays write down once a minute.
     */
    get: {
      parameters: {
        query?: {
          minutes?: number
          outbox?: string
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description number of periods; the last one is incomplete */
              count: number
              destinations: {
                answered: number[]
                destination: string
                name: string | null
                outbox: string
                unanswered: number[]
              }[]
              /**
               * Format: date-time
               * @description when the first stretch began
               */
              from: string
              /** @description milliseconds from commit, or from when it was due, to delivery */
              latency: {
                /** @description one for each period; null if unknown */
                p50: (number | null)[]
                /** @description one for each period; null if unknown */
                p95: (number | null)[]
                /** @description one for each period; null if unknown */
                p99: (number | null)[]
              }
              marks: {
                actor: string | null
                /** Format: date-time */
                at: string
                /** @enum {unknown} */
                kind: 'pause' | 'resume' | 'replay' | 'deploy' | 'clock'
                outbox: string | null
                text: string
              }[]
              /** Format: date-time */
              now: string
              outboxes: {
                [key: string]: {
                  codes: {
                    [key: string]: number[]
                  }
                  dead: number[]
                  delivered: number[]
                  /** @description attempts that were made and did not succeed */
                  failed: number[]
                  /** @description milliseconds from commit, or from when it was due, to delivery */
                  latency: {
                    /** @description one for each period; null if unknown */
                    p50: (number | null)[]
                    /** @description one for each period; null if unknown */
                    p95: (number | null)[]
                    /** @description one for each period; null if unknown */
                    p99: (number | null)[]
                  }
                  /** @description one for each period; null if unknown */
                  oldestDueSeconds: (number | null)[]
                  /** @description one for each period; null if unknown */
                  oldestUndeliveredSeconds: (number | null)[]
                  /** @description messages that were claimed and not tried: breaker open, destination busy, limit */
                  postponed: number[]
                  /** @description one for each period; null if unknown */
                  waiting: (number | null)[]
                }
              }
              stretchSeconds: number
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/charts/consumers': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Lag of consumer groups */
    get: {
      parameters: {
        query?: {
          minutes?: number
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              consumers: {
                group: string
                /** @description one for each period; null if unknown */
                lag: (number | null)[]
                topic: string
              }[]
              /** @description number of periods; the last one is incomplete */
              count: number
              /**
               * Format: date-time
               * @description when the first stretch began
               */
              from: string
              marks: {
                actor: string | null
                /** Format: date-time */
                at: string
                /** @enum {unknown} */
                kind: 'pause' | 'resume' | 'replay' | 'deploy' | 'clock'
                outbox: string | null
                text: string
              }[]
              /** Format: date-time */
              now: string
              stretchSeconds: number
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/consumers': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Consumer groups with their lag and set-aside messages */
    get: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                dead: number
                group: string
                /** @description unacknowledged messages of the group; null before the first sample */
                lag: number | null
                oldestDeadAt: string | null
                /** @description set aside behind another one of their key */
                parked: number
                /** @description set aside until their next attempt */
                retrying: number
                sampledAt: string | null
                topic: string
                transport: string | null
              }[]
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/consumers/dead-letters': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Messages that consumers set aside, newest first */
    get: {
      parameters: {
        query?: {
          code?: string
          /** @description `nextCursor` of the page before */
          cursor?: string
          group?: string
          key?: string
          limit?: number
          search?: string
          since?: string
          /** @description a field of the items, `-` before it for the highest first */
          sort?: '-setAsideAt' | 'setAsideAt'
          status?: 'dead' | 'retry' | 'parked'
          tenant?: string
          topic?: string
          type?: string
          until?: string
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                attempts: number
                code: string | null
                diedAt: string | null
                dueAt: string | null
                error: string | null
                group: string
                id: string
                key: string | null
                messageId: string
                offset: string | null
                partition: number | null
                setAsideAt: string | null
                status: 'dead' | 'retry' | 'parked'
                tenant: string | null
                topic: string
                type: string | null
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/consumers/dead-letters/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** A message that a consumer set aside, with headers and payload */
    get: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              attempts: number
              /** @description received bytes as base64, if they could not be decoded */
              body: string | null
              code: string | null
              diedAt: string | null
              dueAt: string | null
              error: string | null
              group: string
              headers: {
                [key: string]: string
              }
              id: string
              key: string | null
              messageId: string
              occurredAt: string | null
              offset: string | null
              partition: number | null
              /** @description fields that are named like secrets are redacted */
              payload: unknown
              setAsideAt: string | null
              status: 'dead' | 'retry' | 'parked'
              tenant: string | null
              topic: string
              type: string | null
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/consumers/dead-letters/drop': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Delete dead letters for ever, and let what is parked behind them go on */
    post: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            dryRun?: boolean
            filter?: {
              code?: string
              group?: string
              ids?: string[]
              key?: string
              search?: string
              /** Format: date-time */
              since?: string
              tenant?: string
              topic?: string
              type?: string
              /** Format: date-time */
              until?: string
            }
            limit?: number
            reason?: string
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        202: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              count: number
              dryRun: boolean
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/consumers/dead-letters/replay': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Give dead letters to their consumers again, with their attempts at zero */
    post: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            dryRun?: boolean
            filter?: {
              code?: string
              group?: string
              ids?: string[]
              key?: string
              search?: string
              /** Format: date-time */
              since?: string
              tenant?: string
              topic?: string
              type?: string
              /** Format: date-time */
              until?: string
            }
            limit?: number
            reason?: string
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        202: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              count: number
              dryRun: boolean
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/conversations': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Conversations of the organisation, last active first */
    get: {
      parameters: {
        query?: {
          /** @description `nextCursor` of the page before */
          cursor?: string
          dossierId?: string
          limit?: number
          /** @description a number as +16505551234 */
          recipient?: string
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                /** @description the person wrote after our last answer */
                awaitsAnswer: boolean
                channel: string
                contactName: string | null
                dossierId: string | null
                /** Format: uuid */
                id: string
                lastAnswerAt: string | null
                /** Format: date-time */
                lastInboundAt: string
                lastKind: string | null
                lastText: string | null
                /** @description our number that the person wrote to last */
                numberId: string
                orgId: string
                /** @description the person's number */
                recipient: string
                /** @description free text may be sent */
                sessionOpen: boolean
                /**
                 * Format: date-time
                 * @description by the business clock
                 */
                sessionUntil: string
                withdrawn: {
                  /** Format: date-time */
                  at: string
                  source: string
                } | null
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/conversations/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** A conversation, and how long free text is allowed */
    get: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description the person wrote after our last answer */
              awaitsAnswer: boolean
              channel: string
              contactName: string | null
              dossierId: string | null
              /** Format: uuid */
              id: string
              lastAnswerAt: string | null
              /** Format: date-time */
              lastInboundAt: string
              lastKind: string | null
              lastText: string | null
              /** @description our number that the person wrote to last */
              numberId: string
              orgId: string
              /** @description the person's number */
              recipient: string
              /** @description free text may be sent */
              sessionOpen: boolean
              /**
               * Format: date-time
               * @description by the business clock
               */
              sessionUntil: string
              withdrawn: {
                /** Format: date-time */
                at: string
                source: string
              } | null
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/conversations/{id}/consent': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    /** Note that the person may be written to, or no longer; a withdrawal cancels what waits */
    put: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            granted: boolean
            /** @description where to find the proof */
            proof?: string
            /**
             * @description how it was given
             * @default api
             * @enum {unknown}
             */
            source?: 'api' | 'form' | 'paper' | 'spoken' | 'message' | 'import'
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description the person wrote after our last answer */
              awaitsAnswer: boolean
              channel: string
              contactName: string | null
              dossierId: string | null
              /** Format: uuid */
              id: string
              lastAnswerAt: string | null
              /** Format: date-time */
              lastInboundAt: string
              lastKind: string | null
              lastText: string | null
              /** @description our number that the person wrote to last */
              numberId: string
              orgId: string
              /** @description the person's number */
              recipient: string
              /** @description free text may be sent */
              sessionOpen: boolean
              /**
               * Format: date-time
               * @description by the business clock
               */
              sessionUntil: string
              withdrawn: {
                /** Format: date-time */
                at: string
                source: string
              } | null
            }
          }
        }
      }
    }
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/conversations/{id}/consents': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** A person's consents and withdrawals, newest first */
    get: {
      parameters: {
        query?: {
          /** @description `nextCursor` of the page before */
          cursor?: string
          limit?: number
        }
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                /** @description who wrote it down */
                actor: string
                channel: string
                dossierId: string | null
                granted: boolean
                /** Format: uuid */
                id: string
                proof: string | null
                recipient: string | null
                /** Format: date-time */
                saidAt: string
                /** @description how it was given; keyword: the person wrote it */
                source: string
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/conversations/{id}/messages': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Messages in both directions, newest last; the cursor leads to older ones */
    get: {
      parameters: {
        query?: {
          /** @description `nextCursor` of the page before */
          cursor?: string
          limit?: number
        }
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                answersMessageId: string | null
                /** Format: date-time */
                at: string
                /** @description inbound: as received, of media the reference; outbound: payloadJson */
                content: unknown
                contentsRemovedAt: string | null
                deliveredAt: string | null
                /** @enum {unknown} */
                direction: 'inbound' | 'outbound'
                errorCode: string | null
                errorMessage: string | null
                /** Format: uuid */
                id: string
                /** @description outbound: template or text; inbound: as the provider says */
                kind: string
                readAt: string | null
                sentAt: string | null
                status:
                  ('QUEUED' | 'SENDING' | 'SENT' | 'DELIVERED' | 'FAILED' | 'CANCELLED') | null
                templateCode: string | null
                text: string | null
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    /** Send free text within 24 hours of the person's last message */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            /** @default 5 */
            maxAttempts?: number
            text: string
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              accountId: string | null
              attemptCount: number
              channel: string
              contentsRemovedAt: string | null
              conversationId: string | null
              /** Format: date-time */
              createdAt: string
              deliveredAt: string | null
              dossierId: string | null
              errorCode: string | null
              errorMessage: string | null
              /** Format: uuid */
              id: string
              idempotencyKey: string
              maxAttempts: number
              nextRetryAt: string | null
              orgId: string
              /** @description may have been sent: there was no answer */
              outcomeUnknown: boolean
              payloadJson: unknown
              /** @enum {unknown} */
              priority: 'normal' | 'urgent'
              providerMessageId: string | null
              readAt: string | null
              sendAt: string | null
              sentAt: string | null
              /** @enum {unknown} */
              status: 'QUEUED' | 'SENDING' | 'SENT' | 'DELIVERED' | 'FAILED' | 'CANCELLED'
              templateCode: string | null
              to: string
              /** Format: date-time */
              updatedAt: string
            }
          }
        }
        /** @description Default Response */
        201: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              accountId: string | null
              attemptCount: number
              channel: string
              contentsRemovedAt: string | null
              conversationId: string | null
              /** Format: date-time */
              createdAt: string
              deliveredAt: string | null
              dossierId: string | null
              errorCode: string | null
              errorMessage: string | null
              /** Format: uuid */
              id: string
              idempotencyKey: string
              maxAttempts: number
              nextRetryAt: string | null
              orgId: string
              /** @description may have been sent: there was no answer */
              outcomeUnknown: boolean
              payloadJson: unknown
              /** @enum {unknown} */
              priority: 'normal' | 'urgent'
              providerMessageId: string | null
              readAt: string | null
              sendAt: string | null
              sentAt: string | null
              /** @enum {unknown} */
              status: 'QUEUED' | 'SENDING' | 'SENT' | 'DELIVERED' | 'FAILED' | 'CANCELLED'
              templateCode: string | null
              to: string
              /** Format: date-time */
              updatedAt: string
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/database': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Table sizes, dead rows, and what blocks vacuum */
    get: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description at most five, the worst first */
              horizons: {
                holder: 'session' | 'prepared' | 'slot'
                name: string
                seconds: number | null
                transactions: number
              }[]
              tables: {
                analyzedAt: string | null
                bytes: number
                deadRows: number
                indexBytes: number
                liveRows: number
                outbox: string | null
                table: string
                vacuumedAt: string | null
              }[]
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/demo': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** The progress of the demo */
    get: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              endedAt: string | null
              error: string | null
              startedAt: string | null
              /** @enum {unknown} */
              status: 'idle' | 'running' | 'completed' | 'failed' | 'cancelled'
              steps: {
                /** @description the step in plain sentences */
                about: string
                id: string
                look: {
                  label: string
                  /** @description an address of the dashboard */
                  path: string
                }[]
                /** @description its result */
                says: string[]
                /** @enum {unknown} */
                status: 'waiting' | 'running' | 'done' | 'failed' | 'cancelled'
                title: string
              }[]
            }
          }
        }
      }
    }
    put?: never
    /** Start the demo of all systems as the caller, or join a running one */
    post: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        202: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              endedAt: string | null
              error: string | null
              startedAt: string | null
              /** @enum {unknown} */
              status: 'idle' | 'running' | 'completed' | 'failed' | 'cancelled'
              steps: {
                /** @description the step in plain sentences */
                about: string
                id: string
                look: {
                  label: string
                  /** @description an address of the dashboard */
                  path: string
                }[]
                /** @description its result */
                says: string[]
                /** @enum {unknown} */
                status: 'waiting' | 'running' | 'done' | 'failed' | 'cancelled'
                title: string
              }[]
            }
          }
        }
      }
    }
    /** Stop the running demo */
    delete: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              endedAt: string | null
              error: string | null
              startedAt: string | null
              /** @enum {unknown} */
              status: 'idle' | 'running' | 'completed' | 'failed' | 'cancelled'
              steps: {
                /** @description the step in plain sentences */
                about: string
                id: string
                look: {
                  label: string
                  /** @description an address of the dashboard */
                  path: string
                }[]
                /** @description its result */
                says: string[]
                /** @enum {unknown} */
                status: 'waiting' | 'running' | 'done' | 'failed' | 'cancelled'
                title: string
              }[]
            }
          }
        }
      }
    }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/disputes': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** The disputes of all payments, newest first, or by the deadline for evidence */
    get: {
      parameters: {
        query?: {
          /** @description `nextCursor` of the page before */
          cursor?: string
          /** @description only disputes with evidence due before */
          dueBefore?: string
          limit?: number
          /** @description inquiries and disputes that have not ended */
          open?: boolean
          /** @description a field of the items, `-` before it for the highest first */
          sort?: '-openedAt' | 'openedAt' | 'evidenceDueAt' | '-evidenceDueAt'
          status?: 'inquiry' | 'opened' | 'won' | 'lost' | 'withdrawn'
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                amount: number
                closedAt: string | null
                currency: string
                evidenceDueAt: string | null
                /** @description its id at the gateway */
                gatewayRef: string
                /** Format: uuid */
                id: string
                openedAt: string
                /** Format: uuid */
                paymentId: string
                reason: string | null
                /** @enum {unknown} */
                status: 'inquiry' | 'opened' | 'won' | 'lost' | 'withdrawn'
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/dossiers/{id}/activities': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** The timeline of a dossier, newest first */
    get: {
      parameters: {
        query?: {
          /** @description `nextCursor` of the page before */
          cursor?: string
          limit?: number
          status?: string
        }
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                /** Format: date-time */
                createdAt: string
                dossierId: string
                id: string
                metadata: unknown
                type: string
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/dossiers/{id}/audit': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** The audit of a dossier, newest first */
    get: {
      parameters: {
        query?: {
          /** @description `nextCursor` of the page before */
          cursor?: string
          limit?: number
          status?: string
        }
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                action: string
                actor: string
                /** Format: date-time */
                createdAt: string
                details: string
                entityId: string
                /** @enum {unknown} */
                entityType: 'OUTBOUND_MESSAGE' | 'DOSSIER' | 'CONVERSATION' | 'ACCOUNT' | 'TEMPLATE'
                id: string
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/dossiers/{id}/consent-history': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Every grant and withdrawal of a dossier, newest first */
    get: {
      parameters: {
        query?: {
          /** @description `nextCursor` of the page before */
          cursor?: string
          limit?: number
          status?: string
        }
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                /** @description who wrote it down */
                actor: string
                channel: string
                dossierId: string | null
                granted: boolean
                /** Format: uuid */
                id: string
                proof: string | null
                recipient: string | null
                /** Format: date-time */
                saidAt: string
                /** @description how it was given; keyword: the person wrote it */
                source: string
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/dossiers/{id}/consents': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** The channels, and a dossier's consent to each */
    get: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              channels: string[]
              items: {
                channel: string
                dossierId: string
                granted: boolean
                proof: string | null
                recipient: string | null
                /** @description source of the latest decision */
                source: string | null
                /** Format: date-time */
                updatedAt: string
              }[]
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/dossiers/{id}/consents/{channel}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    /** Grant or withdraw consent; a withdrawal cancels pending messages */
    put: {
      parameters: {
        query?: never
        header?: never
        path: {
          channel: string
          id: string
        }
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            granted: boolean
            /** @description where to find the proof */
            proof?: string
            /** @description the number or address that it is about; a withdrawal of it is lifted too */
            recipient?: string
            /**
             * @description how it was given
             * @default api
             * @enum {unknown}
             */
            source?: 'api' | 'form' | 'paper' | 'spoken' | 'message' | 'import'
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              channel: string
              dossierId: string
              granted: boolean
              proof: string | null
              recipient: string | null
              /** @description source of the latest decision */
              source: string | null
              /** Format: date-time */
              updatedAt: string
            }
          }
        }
      }
    }
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/erasures': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Erasures of the organisation, newest first */
    get: {
      parameters: {
        query?: {
          /** @description `nextCursor` of the page before */
          cursor?: string
          limit?: number
          status?: string
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                /** @description rows overwritten so far */
                erased: number
                finishedAt: string | null
                /** @description rows under a legal hold, kept until its release */
                held: number
                /** Format: uuid */
                id: string
                /** @description rows that wait until they are no longer in flight */
                inFlight: number
                /** @description rows looked at so far */
                lookedAt: number
                reason: string | null
                /** Format: date-time */
                requestedAt: string
                requestedBy: string
                /** @enum {unknown} */
                status: 'running' | 'waiting' | 'done'
                /** @enum {unknown} */
                subjectKind: 'email' | 'phone' | 'externalId' | 'dossierId'
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    /**
     * Erase a person's data in all systems for good
     * @description Texts, payloads and files that name the person are overwritten; amounts, counts and the audit stay. Rows that are in flight or under a legal hold wait. The reason is kept and must not name the person. While one is running, the same request returns it with 200.
     */
    post: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            reason?: string
            /** @description one of them */
            subject: {
              dossierId?: string
              email?: string
              /** @description of a payment, of a line of a statement, or the id of a case */
              externalId?: string
              /** @description with its country code, as +16505551234 */
              phone?: string
            }
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description rows overwritten so far */
              erased: number
              finishedAt: string | null
              /** @description rows under a legal hold, kept until its release */
              held: number
              /** Format: uuid */
              id: string
              /** @description rows that wait until they are no longer in flight */
              inFlight: number
              /** @description rows looked at so far */
              lookedAt: number
              reason: string | null
              /** Format: date-time */
              requestedAt: string
              requestedBy: string
              /** @enum {unknown} */
              status: 'running' | 'waiting' | 'done'
              /** @enum {unknown} */
              subjectKind: 'email' | 'phone' | 'externalId' | 'dossierId'
            }
          }
        }
        /** @description Default Response */
        202: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description rows overwritten so far */
              erased: number
              finishedAt: string | null
              /** @description rows under a legal hold, kept until its release */
              held: number
              /** Format: uuid */
              id: string
              /** @description rows that wait until they are no longer in flight */
              inFlight: number
              /** @description rows looked at so far */
              lookedAt: number
              reason: string | null
              /** Format: date-time */
              requestedAt: string
              requestedBy: string
              /** @enum {unknown} */
              status: 'running' | 'waiting' | 'done'
              /** @enum {unknown} */
              subjectKind: 'email' | 'phone' | 'externalId' | 'dossierId'
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/erasures/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** The progress of an erasure */
    get: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description rows overwritten so far */
              erased: number
              finishedAt: string | null
              /** @description rows under a legal hold, kept until its release */
              held: number
              /** Format: uuid */
              id: string
              /** @description rows that wait until they are no longer in flight */
              inFlight: number
              /** @description rows looked at so far */
              lookedAt: number
              reason: string | null
              /** Format: date-time */
              requestedAt: string
              requestedBy: string
              /** @enum {unknown} */
              status: 'running' | 'waiting' | 'done'
              /** @enum {unknown} */
              subjectKind: 'email' | 'phone' | 'externalId' | 'dossierId'
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/erasures/count': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Count what an erasure would overwrite, without erasing */
    post: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            /** @description one of them */
            subject: {
              dossierId?: string
              email?: string
              /** @description of a payment, of a line of a statement, or the id of a case */
              externalId?: string
              /** @description with its country code, as +16505551234 */
              phone?: string
            }
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description of these under a legal hold */
              held: number
              /** @description false if there was no time to read everything */
              isWhole: boolean
              /** @description that name the person */
              rows: number
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/event-types': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Every type of event that webhooks carry, with its JSON Schema and a sample */
    get: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                about: string
                /** @description a whole body */
                sample: unknown
                /** @description JSON Schema of the whole body */
                schema: unknown
                type: string
                /** @description of the shape of `data` */
                version: number
              }[]
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/event-types/{type}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** A type of event */
    get: {
      parameters: {
        query?: never
        header?: never
        path: {
          type: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              about: string
              /** @description a whole body */
              sample: unknown
              /** @description JSON Schema of the whole body */
              schema: unknown
              type: string
              /** @description of the shape of `data` */
              version: number
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/file-jobs': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Files of the merchant, newest first */
    get: {
      parameters: {
        query?: {
          /** @description `nextCursor` of the page before */
          cursor?: string
          limit?: number
          /** @description a field of the items, `-` before it for the highest first */
          sort?: '-createdAt' | 'createdAt'
          status?: 'RECEIVED' | 'PROCESSING' | 'COMPLETED' | 'REJECTED'
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                cancelledAt: string | null
                cancelledBy: string | null
                cancelReason: string | null
                completedAt: string | null
                counts: {
                  [key: string]: number
                }
                createdAt: string
                errorCount: number
                etaSeconds: number | null
                expectedRows: number | null
                filename: string
                id: string
                /** @description when the first of its failed rows is tried again, by the business clock */
                nextRetryAt: string | null
                pendingRetries: number
                perSecond: number
                reason: string | null
                reasonDetail: string | null
                round: number
                rowsRead: number
                sizeBytes: number
                /** @enum {unknown} */
                status: 'RECEIVED' | 'PROCESSING' | 'COMPLETED' | 'REJECTED'
                successCount: number
                totalRows: number | null
                waitsFor: ('DAILY_LIMIT' | 'SCANNER') | null
                waitsUntil: string | null
                warnings: string[]
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    /**
     * Upload a ZIP with one CSV and evidence files, once per Idempotency-Key
     * @description Body: `application/zip`, or `multipart/form-data` with one file. The file is read later: follow the job.
     */
    post: {
      parameters: {
        query?: {
          filename?: string
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        202: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              fileJobId: string
              warnings: string[]
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/file-jobs/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** A file and its progress */
    get: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              cancelledAt: string | null
              cancelledBy: string | null
              cancelReason: string | null
              completedAt: string | null
              counts: {
                [key: string]: number
              }
              createdAt: string
              errorCount: number
              etaSeconds: number | null
              expectedRows: number | null
              filename: string
              id: string
              /** @description when the first of its failed rows is tried again, by the business clock */
              nextRetryAt: string | null
              pendingRetries: number
              perSecond: number
              reason: string | null
              reasonDetail: string | null
              round: number
              rowsRead: number
              sizeBytes: number
              /** @enum {unknown} */
              status: 'RECEIVED' | 'PROCESSING' | 'COMPLETED' | 'REJECTED'
              successCount: number
              totalRows: number | null
              waitsFor: ('DAILY_LIMIT' | 'SCANNER') | null
              waitsUntil: string | null
              warnings: string[]
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/file-jobs/{id}/artifacts/{artifactId}/content': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** An evidence file */
    get: {
      parameters: {
        query?: never
        header?: never
        path: {
          artifactId: string
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Done */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            '*/*': unknown
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/file-jobs/{id}/cancel': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Cancel the unpublished rows of a file
     * @description The rows end as ERROR with the code CANCELLED, and the file as COMPLETED, or as REJECTED if none of its rows was stored. Cancelling it again changes nothing.
     */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            reason: string
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        202: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              cancelledAt: string | null
              cancelledBy: string | null
              cancelReason: string | null
              completedAt: string | null
              counts: {
                [key: string]: number
              }
              createdAt: string
              errorCount: number
              etaSeconds: number | null
              expectedRows: number | null
              filename: string
              id: string
              /** @description when the first of its failed rows is tried again, by the business clock */
              nextRetryAt: string | null
              pendingRetries: number
              perSecond: number
              reason: string | null
              reasonDetail: string | null
              round: number
              rowsRead: number
              sizeBytes: number
              /** @enum {unknown} */
              status: 'RECEIVED' | 'PROCESSING' | 'COMPLETED' | 'REJECTED'
              successCount: number
              totalRows: number | null
              waitsFor: ('DAILY_LIMIT' | 'SCANNER') | null
              waitsUntil: string | null
              warnings: string[]
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/file-jobs/{id}/errors.csv': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Failed rows as CSV, to correct and upload again */
    get: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Done */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            '*/*': unknown
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/file-jobs/{id}/notifications': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** The merchant's notifications about a file, newest first */
    get: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                createdAt: string
                /** @description the outcome of its webhook, one for each endpoint */
                deliveries: {
                  attempts: number
                  deliveredAt: string | null
                  id: string
                  status: string
                  url: string
                }[]
                errors: number
                id: string
                /** @enum {unknown} */
                kind: 'N1' | 'N2' | 'REJECTED'
                mail: {
                  error: string | null
                  recipient: string
                  sentAt: string | null
                  /** @enum {unknown} */
                  status: 'PENDING' | 'SENT' | 'FAILED'
                } | null
                message: string
                pendingRetries: number
                round: number
                success: number
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/file-jobs/{id}/retry-errors': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Retry the failed rows of a file, except invalid ones */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        202: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              requeued: number
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/file-jobs/{id}/rows': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** The rows of a file, in its order */
    get: {
      parameters: {
        query?: {
          caseId?: string
          /** @description `nextCursor` of the page before */
          cursor?: string
          limit?: number
          /** @description a field of the items, `-` before it for the highest first */
          sort?: 'rowNumber' | '-rowNumber'
          status?: 'PENDING' | 'PUBLISHED' | 'SUCCESS' | 'FAILED' | 'ERROR'
        }
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                caseId: string
                createdAt: string
                errorCode: string | null
                errorMessage: string | null
                eventId: string | null
                evidenceFiles: string
                fileJobId: string
                id: string
                kafkaOffset: number | null
                kafkaPartition: number | null
                lineNumber: number
                metadata: {
                  [key: string]: string
                }
                nextRetryAt: string | null
                publishedAt: string | null
                retryCount: number
                rowNumber: number
                /** @enum {unknown} */
                status: 'PENDING' | 'PUBLISHED' | 'SUCCESS' | 'FAILED' | 'ERROR'
                updatedAt: string
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/file-jobs/{id}/rows/{rowId}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** A row with its files and history */
    get: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
          rowId: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              artifacts: {
                /** @enum {unknown} */
                attachmentStatus: 'PENDING' | 'ATTACHED' | 'FAILED'
                contentType: string
                documentMgmtId: string | null
                filename: string
                id: string
                sizeBytes: number
              }[]
              audit: {
                createdAt: string
                errorCode: string | null
                newStatus: string
                oldStatus: string | null
                retryCount: number
                transitionedBy: string
              }[]
              caseId: string
              createdAt: string
              errorCode: string | null
              errorMessage: string | null
              eventId: string | null
              evidenceFiles: string
              fileJobId: string
              id: string
              kafkaOffset: number | null
              kafkaPartition: number | null
              lineNumber: number
              metadata: {
                [key: string]: string
              }
              nextRetryAt: string | null
              publishedAt: string | null
              retryCount: number
              rowNumber: number
              /** @enum {unknown} */
              status: 'PENDING' | 'PUBLISHED' | 'SUCCESS' | 'FAILED' | 'ERROR'
              updatedAt: string
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/file-jobs/s3-events': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** A bucket's events: new objects under incoming/ become file jobs */
    post: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            [key: string]: unknown
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              ignored: number
              known: number
              received: number
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/file-jobs/settings': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** The organisation's settings for files */
    get: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              notificationEmail: string | null
            }
          }
        }
      }
    }
    /** Set the address for mailed results; null for no mail */
    put: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            notificationEmail: string | null
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              notificationEmail: string | null
            }
          }
        }
      }
    }
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/incidents': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Incidents: alerts grouped by cause, open ones first */
    get: {
      parameters: {
        query?: {
          state?: 'open' | 'snoozed' | 'closed'
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                acknowledgedAt: string | null
                acknowledgedBy: string | null
                /** @description all of its alerts */
                alerts: number
                closedAt: string | null
                code: string
                /** @description of its newest alert */
                detail: string | null
                /** @description alerts raised in the hour before that */
                hourBefore: number
                /** Format: uuid */
                id: string
                lastAt: string | null
                /** @description alerts raised in the last hour */
                lastHour: number
                /**
                 * Format: date-time
                 * @description when its first alert was raised
                 */
                openedAt: string
                owner: string | null
                snoozedUntil: string | null
                /** @description the outbox, or the part of a system */
                source: string
                /** @description alerts with a lasting cause */
                standing: number
                /** @enum {unknown} */
                state: 'open' | 'snoozed' | 'closed'
                subject: string | null
                tenant: string | null
                /** @enum {unknown} */
                trend: 'rising' | 'steady' | 'falling'
              }[]
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/incidents/{id}/acknowledge': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Acknowledge an incident and its alerts; the first acknowledgement stays */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              acknowledgedAt: string | null
              acknowledgedBy: string | null
              /** @description all of its alerts */
              alerts: number
              closedAt: string | null
              code: string
              /** @description of its newest alert */
              detail: string | null
              /** @description alerts raised in the hour before that */
              hourBefore: number
              /** Format: uuid */
              id: string
              lastAt: string | null
              /** @description alerts raised in the last hour */
              lastHour: number
              /**
               * Format: date-time
               * @description when its first alert was raised
               */
              openedAt: string
              owner: string | null
              snoozedUntil: string | null
              /** @description the outbox, or the part of a system */
              source: string
              /** @description alerts with a lasting cause */
              standing: number
              /** @enum {unknown} */
              state: 'open' | 'snoozed' | 'closed'
              subject: string | null
              tenant: string | null
              /** @enum {unknown} */
              trend: 'rising' | 'steady' | 'falling'
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/incidents/{id}/assign': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Set or remove the owner of an incident */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            owner: string | null
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              acknowledgedAt: string | null
              acknowledgedBy: string | null
              /** @description all of its alerts */
              alerts: number
              closedAt: string | null
              code: string
              /** @description of its newest alert */
              detail: string | null
              /** @description alerts raised in the hour before that */
              hourBefore: number
              /** Format: uuid */
              id: string
              lastAt: string | null
              /** @description alerts raised in the last hour */
              lastHour: number
              /**
               * Format: date-time
               * @description when its first alert was raised
               */
              openedAt: string
              owner: string | null
              snoozedUntil: string | null
              /** @description the outbox, or the part of a system */
              source: string
              /** @description alerts with a lasting cause */
              standing: number
              /** @enum {unknown} */
              state: 'open' | 'snoozed' | 'closed'
              subject: string | null
              tenant: string | null
              /** @enum {unknown} */
              trend: 'rising' | 'steady' | 'falling'
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/incidents/{id}/snooze': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Snooze an incident for some minutes; 0 ends the snooze */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            minutes: number
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              acknowledgedAt: string | null
              acknowledgedBy: string | null
              /** @description all of its alerts */
              alerts: number
              closedAt: string | null
              code: string
              /** @description of its newest alert */
              detail: string | null
              /** @description alerts raised in the hour before that */
              hourBefore: number
              /** Format: uuid */
              id: string
              lastAt: string | null
              /** @description alerts raised in the last hour */
              lastHour: number
              /**
               * Format: date-time
               * @description when its first alert was raised
               */
              openedAt: string
              owner: string | null
              snoozedUntil: string | null
              /** @description the outbox, or the part of a system */
              source: string
              /** @description alerts with a lasting cause */
              standing: number
              /** @enum {unknown} */
              state: 'open' | 'snoozed' | 'closed'
              subject: string | null
              tenant: string | null
              /** @enum {unknown} */
              trend: 'rising' | 'steady' | 'falling'
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/journey': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * The journey of a business object: related objects and events, in order
     * @description From the id of an order, saga, payment, webhook, statement line (`run/line`), message, file row or case of the caller's organisation to all others that it leads to. `isComplete` is false where there is more than is followed.
     */
    get: {
      parameters: {
        query: {
          id: string
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              isComplete: boolean
              things: {
                detail: string
                id: string
                /** @description order, saga, payment, webhook, statement line, message, file row … */
                kind: string
                /** @description outbox with a message of the same id; null without the permission operate */
                outbox: string | null
                title: string
                /** @description the page of the dashboard that shows it */
                to: string
                /** @description why it waits, now; null for what does not, and for those who do not operate */
                why: string | null
              }[]
              timeline: {
                /**
                 * Format: date-time
                 * @description real time
                 */
                at: string
                /** @description of the thing that it happened to */
                id: string
                kind: string
                what: string
              }[]
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/legal-holds': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Legal holds of the organisation, newest first */
    get: {
      parameters: {
        query?: {
          /** @description `nextCursor` of the page before */
          cursor?: string
          limit?: number
          status?: 'open' | 'released'
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                /** Format: uuid */
                id: string
                /** @description organisation, or a kind of thing as payment */
                kind: string
                /** Format: date-time */
                placedAt: string
                placedBy: string
                reason: string
                releasedAt: string | null
                releasedBy: string | null
                releaseReason: string | null
                /** @description the thing's id */
                subject: string | null
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    /**
     * Exempt the organisation, or one of its objects, from retention and erasure
     * @description The same hold again gives the one that is open, with 200.
     */
    post: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            /** @enum {unknown} */
            kind:
              | 'organisation'
              | 'saga'
              | 'dossier'
              | 'payment'
              | 'reconciliation'
              | 'file-job'
              | 'family'
            reason: string
            /** @description the thing's id */
            subject?: string
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** Format: uuid */
              id: string
              /** @description organisation, or a kind of thing as payment */
              kind: string
              /** Format: date-time */
              placedAt: string
              placedBy: string
              reason: string
              releasedAt: string | null
              releasedBy: string | null
              releaseReason: string | null
              /** @description the thing's id */
              subject: string | null
            }
          }
        }
        /** @description Default Response */
        201: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** Format: uuid */
              id: string
              /** @description organisation, or a kind of thing as payment */
              kind: string
              /** Format: date-time */
              placedAt: string
              placedBy: string
              reason: string
              releasedAt: string | null
              releasedBy: string | null
              releaseReason: string | null
              /** @description the thing's id */
              subject: string | null
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/legal-holds/{id}/release': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Release a legal hold */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            reason: string
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** Format: uuid */
              id: string
              /** @description organisation, or a kind of thing as payment */
              kind: string
              /** Format: date-time */
              placedAt: string
              placedBy: string
              reason: string
              releasedAt: string | null
              releasedBy: string | null
              releaseReason: string | null
              /** @description the thing's id */
              subject: string | null
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/me': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** The caller of the token, with its permissions */
    get: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** Format: date-time */
              expiresAt: string
              org: string
              permissions: {
                /** @description what the permission allows */
                about: string
                /** @description whether the caller has this permission */
                allowed: boolean
                name: string
                /** @description roles with this permission */
                roles: (
                  'viewer' | 'clerk' | 'member' | 'approver' | 'admin' | 'operator' | 'platform'
                )[]
              }[]
              /** @description permissions of a portal's token; null for users */
              portal: ('read' | 'write') | null
              /** @enum {unknown} */
              role: 'viewer' | 'clerk' | 'member' | 'approver' | 'admin' | 'operator' | 'platform'
              sub: string
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/messages': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Messages of all outboxes together, newest first
     * @description An outbox that does not keep what a filter asks for has no message that matches it.
     */
    get: {
      parameters: {
        query?: {
          /** @description of the last failure */
          code?: string
          /** @description `nextCursor` of the page before */
          cursor?: string
          /** @description anywhere in the last failure; reads row by row */
          error?: string
          id?: string
          key?: string
          limit?: number
          outbox?: string
          /** @description anywhere in the row; reads row by row */
          search?: string
          since?: string
          /** @description a field of the items, `-` before it for the highest first */
          sort?: '-createdAt' | 'createdAt'
          status?: string
          tenant?: string
          type?: string
          until?: string
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                /** @description attempts made, the successful one included */
                attempts: number
                claimedUntil: string | null
                createdAt: string | null
                dueAt: string | null
                error: string | null
                errorCode: string | null
                held: boolean
                id: string
                key: string | null
                /** @description the definition's label: its case, order or recipient */
                label: string | null
                outbox: string
                quarantinedAt: string | null
                state: string
                tenant: string | null
                type: string | null
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/notice-channels': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Channels for notices of incidents */
    get: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                /** Format: date-time */
                createdAt: string
                createdBy: string
                /** Format: uuid */
                id: string
                /** @enum {unknown} */
                kind: 'email' | 'slack' | 'pagerduty'
                lastNotice: {
                  /** Format: date-time */
                  at: string
                  error: string | null
                  status: string
                } | null
                name: string
                /** @description the public part of its address */
                shown: string
                /** @description organisation whose incidents it gets; null for all */
                tenant: string | null
              }[]
            }
          }
        }
      }
    }
    put?: never
    /** Add a channel; its address and key are encrypted and never shown */
    post: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json':
            | {
                address: string
                /** @enum {string} */
                kind: 'email'
                name: string
              }
            | {
                /** @enum {string} */
                kind: 'slack'
                name: string
                url: string
              }
            | {
                /** @enum {string} */
                kind: 'pagerduty'
                name: string
                routingKey: string
                url?: string
              }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        201: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** Format: date-time */
              createdAt: string
              createdBy: string
              /** Format: uuid */
              id: string
              /** @enum {unknown} */
              kind: 'email' | 'slack' | 'pagerduty'
              lastNotice: {
                /** Format: date-time */
                at: string
                error: string | null
                status: string
              } | null
              name: string
              /** @description the public part of its address */
              shown: string
              /** @description organisation whose incidents it gets; null for all */
              tenant: string | null
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/notice-channels/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post?: never
    /** Remove a channel with its notices */
    delete: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        204: {
          headers: {
            [name: string]: unknown
          }
          content?: never
        }
      }
    }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/notice-channels/{id}/test': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Send a test notice by a channel */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        202: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** Format: uuid */
              noticeId: string
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/orders': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Orders of the organisation, newest first */
    get: {
      parameters: {
        query?: {
          /** @description `nextCursor` of the page before */
          cursor?: string
          limit?: number
          /** @description a field of the items, `-` before it for the highest first */
          sort?: '-createdAt' | 'createdAt' | '-amount' | 'amount'
          status?: 'RUNNING' | 'COMPLETED' | 'COMPENSATED' | 'FAILED'
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                amount: number
                createdAt: string
                currency: string
                errorCode: string | null
                errorMessage: string | null
                id: string
                items: {
                  quantity: number
                  sku: string
                }[]
                sagaId: string
                /** @enum {unknown} */
                status: 'RUNNING' | 'COMPLETED' | 'COMPENSATED' | 'FAILED'
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    /** Place an order: stock is reserved, payment taken and a shipment booked, or all undone */
    post: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            /** @description in minor units */
            amount: number
            /** @description ISO 4217 */
            currency: string
            /** @description waits for the signal release before anything is done */
            hold?: boolean
            items: {
              quantity: number
              sku: string
            }[]
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        202: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              id: string
              sagaId: string
              /** @enum {unknown} */
              status: 'RUNNING' | 'COMPLETED' | 'COMPENSATED' | 'FAILED'
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/orders/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** An order */
    get: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              amount: number
              createdAt: string
              currency: string
              errorCode: string | null
              errorMessage: string | null
              id: string
              items: {
                quantity: number
                sku: string
              }[]
              sagaId: string
              /** @enum {unknown} */
              status: 'RUNNING' | 'COMPLETED' | 'COMPENSATED' | 'FAILED'
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/outbound/accounts': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** The accounts of the organisation and of the settings, with problems */
    get: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                businessAccountId: string | null
                channel: string
                createdAt: string | null
                /** @description whatsapp and email are the accounts of the settings */
                id: string
                /** @description in the settings of the server, for all organisations */
                isDefault: boolean
                name: string
                /** @description the last ten notices of WhatsApp about the account; those of default accounts only for the platform */
                notices: {
                  detail: string | null
                  /** @description the event, in WhatsApp's word */
                  event: string
                  /** @description the webhook's field, as account_update; errors */
                  field: string
                  /** Format: date-time */
                  saidAt: string
                  /** @description the template or the number */
                  subject: string | null
                }[]
                phoneNumberIds: string[]
                stops: {
                  code: string
                  /** Format: date-time */
                  nextProbeAt: string
                  /** @description null: all numbers */
                  phoneNumberId: string | null
                  reason: string
                  /** Format: date-time */
                  stoppedAt: string
                }[]
                updatedAt: string | null
                webhookPath: string | null
              }[]
            }
          }
        }
      }
    }
    put?: never
    /** Add a WhatsApp account; its secrets are encrypted and never shown */
    post: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            accessToken: string
            appSecret: string
            /** @description Meta's id of the WhatsApp business account, for importing its templates */
            businessAccountId?: string
            name: string
            /** @description Meta's ids of the numbers to send from */
            phoneNumberIds: string[]
            verifyToken: string
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        201: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              businessAccountId: string | null
              channel: string
              createdAt: string | null
              /** @description whatsapp and email are the accounts of the settings */
              id: string
              /** @description in the settings of the server, for all organisations */
              isDefault: boolean
              name: string
              /** @description the last ten notices of WhatsApp about the account; those of default accounts only for the platform */
              notices: {
                detail: string | null
                /** @description the event, in WhatsApp's word */
                event: string
                /** @description the webhook's field, as account_update; errors */
                field: string
                /** Format: date-time */
                saidAt: string
                /** @description the template or the number */
                subject: string | null
              }[]
              phoneNumberIds: string[]
              stops: {
                code: string
                /** Format: date-time */
                nextProbeAt: string
                /** @description null: all numbers */
                phoneNumberId: string | null
                reason: string
                /** Format: date-time */
                stoppedAt: string
              }[]
              updatedAt: string | null
              webhookPath: string | null
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/outbound/accounts/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post?: never
    /** Delete an account without pending messages */
    delete: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        204: {
          headers: {
            [name: string]: unknown
          }
          content?: never
        }
      }
    }
    options?: never
    head?: never
    /** Change an account; a new access token lets a stopped one send again */
    patch: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            accessToken?: string
            appSecret?: string
            /** @description Meta's id of the WhatsApp business account, for importing its templates */
            businessAccountId?: string
            name?: string
            /** @description Meta's ids of the numbers to send from */
            phoneNumberIds?: string[]
            verifyToken?: string
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              businessAccountId: string | null
              channel: string
              createdAt: string | null
              /** @description whatsapp and email are the accounts of the settings */
              id: string
              /** @description in the settings of the server, for all organisations */
              isDefault: boolean
              name: string
              /** @description the last ten notices of WhatsApp about the account; those of default accounts only for the platform */
              notices: {
                detail: string | null
                /** @description the event, in WhatsApp's word */
                event: string
                /** @description the webhook's field, as account_update; errors */
                field: string
                /** Format: date-time */
                saidAt: string
                /** @description the template or the number */
                subject: string | null
              }[]
              phoneNumberIds: string[]
              stops: {
                code: string
                /** Format: date-time */
                nextProbeAt: string
                /** @description null: all numbers */
                phoneNumberId: string | null
                reason: string
                /** Format: date-time */
                stoppedAt: string
              }[]
              updatedAt: string | null
              webhookPath: string | null
            }
          }
        }
      }
    }
    trace?: never
  }
  '/api/v1/outbound/accounts/{id}/resume': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Let a stopped account send again */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              resumed: boolean
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/outbound/messages': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Messages of the organisation, newest first */
    get: {
      parameters: {
        query?: {
          channel?: string
          /** @description `nextCursor` of the page before */
          cursor?: string
          dossierId?: string
          errorCode?: string
          limit?: number
          /** @description created at this time or later */
          since?: string
          /** @description a field of the items, `-` before it for the highest first */
          sort?: '-createdAt' | 'createdAt'
          status?: 'QUEUED' | 'SENDING' | 'SENT' | 'DELIVERED' | 'FAILED' | 'CANCELLED'
          templateCode?: string
          to?: string
          /** @description created before */
          until?: string
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                accountId: string | null
                attemptCount: number
                channel: string
                contentsRemovedAt: string | null
                conversationId: string | null
                /** Format: date-time */
                createdAt: string
                deliveredAt: string | null
                dossierId: string | null
                errorCode: string | null
                errorMessage: string | null
                /** Format: uuid */
                id: string
                idempotencyKey: string
                maxAttempts: number
                nextRetryAt: string | null
                orgId: string
                /** @description may have been sent: there was no answer */
                outcomeUnknown: boolean
                payloadJson: unknown
                /** @enum {unknown} */
                priority: 'normal' | 'urgent'
                providerMessageId: string | null
                readAt: string | null
                sendAt: string | null
                sentAt: string | null
                /** @enum {unknown} */
                status: 'QUEUED' | 'SENDING' | 'SENT' | 'DELIVERED' | 'FAILED' | 'CANCELLED'
                templateCode: string | null
                to: string
                /** Format: date-time */
                updatedAt: string
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    /** Queue a message, once per Idempotency-Key */
    post: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            /**
             * Format: uuid
             * @description the organisation's account that sends it; default its oldest one, or else the server's
             */
            accountId?: string
            /** @description whatsapp or email */
            channel: string
            dossierId?: string
            /** @default 5 */
            maxAttempts?: number
            /** @description whatsapp: {language, parameters, and of registered templates header, buttons}; email: {subject, text} */
            payloadJson: {
              [key: string]: unknown
            }
            /**
             * @description urgent goes before normal; default urgent for registered authentication templates
             * @enum {unknown}
             */
            priority?: 'normal' | 'urgent'
            /**
             * Format: date-time
             * @description not before this time, up to 90 days ahead; consent is asked again then
             */
            sendAt?: string
            /** @description required for whatsapp */
            templateCode?: string
            /** @description a number as +16505551234 */
            to: string
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              accountId: string | null
              attemptCount: number
              channel: string
              contentsRemovedAt: string | null
              conversationId: string | null
              /** Format: date-time */
              createdAt: string
              deliveredAt: string | null
              dossierId: string | null
              errorCode: string | null
              errorMessage: string | null
              /** Format: uuid */
              id: string
              idempotencyKey: string
              maxAttempts: number
              nextRetryAt: string | null
              orgId: string
              /** @description may have been sent: there was no answer */
              outcomeUnknown: boolean
              payloadJson: unknown
              /** @enum {unknown} */
              priority: 'normal' | 'urgent'
              providerMessageId: string | null
              readAt: string | null
              sendAt: string | null
              sentAt: string | null
              /** @enum {unknown} */
              status: 'QUEUED' | 'SENDING' | 'SENT' | 'DELIVERED' | 'FAILED' | 'CANCELLED'
              templateCode: string | null
              to: string
              /** Format: date-time */
              updatedAt: string
            }
          }
        }
        /** @description Default Response */
        201: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              accountId: string | null
              attemptCount: number
              channel: string
              contentsRemovedAt: string | null
              conversationId: string | null
              /** Format: date-time */
              createdAt: string
              deliveredAt: string | null
              dossierId: string | null
              errorCode: string | null
              errorMessage: string | null
              /** Format: uuid */
              id: string
              idempotencyKey: string
              maxAttempts: number
              nextRetryAt: string | null
              orgId: string
              /** @description may have been sent: there was no answer */
              outcomeUnknown: boolean
              payloadJson: unknown
              /** @enum {unknown} */
              priority: 'normal' | 'urgent'
              providerMessageId: string | null
              readAt: string | null
              sendAt: string | null
              sentAt: string | null
              /** @enum {unknown} */
              status: 'QUEUED' | 'SENDING' | 'SENT' | 'DELIVERED' | 'FAILED' | 'CANCELLED'
              templateCode: string | null
              to: string
              /** Format: date-time */
              updatedAt: string
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/outbound/messages/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** A message */
    get: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              accountId: string | null
              attemptCount: number
              channel: string
              contentsRemovedAt: string | null
              conversationId: string | null
              /** Format: date-time */
              createdAt: string
              deliveredAt: string | null
              dossierId: string | null
              errorCode: string | null
              errorMessage: string | null
              /** Format: uuid */
              id: string
              idempotencyKey: string
              maxAttempts: number
              nextRetryAt: string | null
              orgId: string
              /** @description may have been sent: there was no answer */
              outcomeUnknown: boolean
              payloadJson: unknown
              /** @enum {unknown} */
              priority: 'normal' | 'urgent'
              providerMessageId: string | null
              readAt: string | null
              sendAt: string | null
              sentAt: string | null
              /** @enum {unknown} */
              status: 'QUEUED' | 'SENDING' | 'SENT' | 'DELIVERED' | 'FAILED' | 'CANCELLED'
              templateCode: string | null
              to: string
              /** Format: date-time */
              updatedAt: string
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/outbound/messages/{id}/attempts': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** A message's attempts, newest first */
    get: {
      parameters: {
        query?: {
          /** @description `nextCursor` of the page before */
          cursor?: string
          limit?: number
          status?: string
        }
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                attemptNo: number
                createdAt: string
                errorCode: string | null
                errorMessage: string | null
                id: string
                nextRetryAt: string | null
                providerResponse: unknown
                /** @enum {unknown} */
                status: 'TRYING' | 'SUCCESS' | 'FAILED'
                updatedAt: string
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/outbound/messages/{id}/audit': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** The history of a message, newest first */
    get: {
      parameters: {
        query?: {
          /** @description `nextCursor` of the page before */
          cursor?: string
          limit?: number
          status?: string
        }
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                action: string
                actor: string
                /** Format: date-time */
                createdAt: string
                details: string
                entityId: string
                /** @enum {unknown} */
                entityType: 'OUTBOUND_MESSAGE' | 'DOSSIER' | 'CONVERSATION' | 'ACCOUNT' | 'TEMPLATE'
                id: string
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/outbound/messages/{id}/cancel': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Cancel a pending message */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              accountId: string | null
              attemptCount: number
              channel: string
              contentsRemovedAt: string | null
              conversationId: string | null
              /** Format: date-time */
              createdAt: string
              deliveredAt: string | null
              dossierId: string | null
              errorCode: string | null
              errorMessage: string | null
              /** Format: uuid */
              id: string
              idempotencyKey: string
              maxAttempts: number
              nextRetryAt: string | null
              orgId: string
              /** @description may have been sent: there was no answer */
              outcomeUnknown: boolean
              payloadJson: unknown
              /** @enum {unknown} */
              priority: 'normal' | 'urgent'
              providerMessageId: string | null
              readAt: string | null
              sendAt: string | null
              sentAt: string | null
              /** @enum {unknown} */
              status: 'QUEUED' | 'SENDING' | 'SENT' | 'DELIVERED' | 'FAILED' | 'CANCELLED'
              templateCode: string | null
              to: string
              /** Format: date-time */
              updatedAt: string
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/outbound/messages/{id}/retry': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Send a failed message again */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              accountId: string | null
              attemptCount: number
              channel: string
              contentsRemovedAt: string | null
              conversationId: string | null
              /** Format: date-time */
              createdAt: string
              deliveredAt: string | null
              dossierId: string | null
              errorCode: string | null
              errorMessage: string | null
              /** Format: uuid */
              id: string
              idempotencyKey: string
              maxAttempts: number
              nextRetryAt: string | null
              orgId: string
              /** @description may have been sent: there was no answer */
              outcomeUnknown: boolean
              payloadJson: unknown
              /** @enum {unknown} */
              priority: 'normal' | 'urgent'
              providerMessageId: string | null
              readAt: string | null
              sendAt: string | null
              sentAt: string | null
              /** @enum {unknown} */
              status: 'QUEUED' | 'SENDING' | 'SENT' | 'DELIVERED' | 'FAILED' | 'CANCELLED'
              templateCode: string | null
              to: string
              /** Format: date-time */
              updatedAt: string
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/outbound/messages/figures': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Delivery times, read rates and errors of the messages of a period
     * @description Default the last 24 hours; 31 days at the most. Times are by the provider. Of more than 100,000 messages the newest are counted.
     */
    get: {
      parameters: {
        query?: {
          /** @description only messages sent by this account */
          account?: string
          since?: string
          until?: string
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description codes of messages that failed, the most frequent first */
              errors: {
                code: string
                count: number
              }[]
              points: {
                /**
                 * Format: date-time
                 * @description the beginning of the stretch
                 */
                at: string
                created: number
                delivered: number
                deliverySeconds: {
                  median: number | null
                  p95: number | null
                }
                failed: number
                read: number
                sent: number
              }[]
              /** Format: date-time */
              since: string
              stretchSeconds: number
              /** Format: date-time */
              until: string
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/outbound/messages/stats': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Number of messages by state */
    get: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              counts: {
                [key: string]: number
              }
              orgId: string
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/outbound/templates': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Templates that the organisation has registered, by name */
    get: {
      parameters: {
        query?: {
          /** @description `nextCursor` of the page before */
          cursor?: string
          limit?: number
          status?: string
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                /** @enum {unknown} */
                category: 'AUTHENTICATION' | 'MARKETING' | 'UTILITY'
                /** @description as the Cloud API writes them */
                components: unknown[]
                /** Format: date-time */
                createdAt: string
                language: string
                name: string
                /** @description parameters that a message must give */
                parameters: {
                  body: string[]
                  buttons: ('url' | 'copy_code' | 'otp')[]
                  header: ('text' | 'image' | 'video' | 'document') | null
                }
                /** @description APPROVED, or as Meta says; only approved ones are sent */
                status: string
                /** Format: date-time */
                updatedAt: string
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/outbound/templates/{name}/{language}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** A template */
    get: {
      parameters: {
        query?: never
        header?: never
        path: {
          language: string
          name: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @enum {unknown} */
              category: 'AUTHENTICATION' | 'MARKETING' | 'UTILITY'
              /** @description as the Cloud API writes them */
              components: unknown[]
              /** Format: date-time */
              createdAt: string
              language: string
              name: string
              /** @description parameters that a message must give */
              parameters: {
                body: string[]
                buttons: ('url' | 'copy_code' | 'otp')[]
                header: ('text' | 'image' | 'video' | 'document') | null
              }
              /** @description APPROVED, or as Meta says; only approved ones are sent */
              status: string
              /** Format: date-time */
              updatedAt: string
            }
          }
        }
      }
    }
    /** Register or change a template; its messages are checked when they are queued */
    put: {
      parameters: {
        query?: never
        header?: never
        path: {
          language: string
          name: string
        }
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            /** @enum {unknown} */
            category: 'AUTHENTICATION' | 'MARKETING' | 'UTILITY'
            components: (
              | ({
                  /** @enum {unknown} */
                  format: 'TEXT' | 'IMAGE' | 'VIDEO' | 'DOCUMENT'
                  text?: string
                  /** @enum {string} */
                  type: 'HEADER'
                } & {
                  [key: string]: unknown
                })
              | ({
                  add_security_recommendation?: boolean
                  text?: string
                  /** @enum {string} */
                  type: 'BODY'
                } & {
                  [key: string]: unknown
                })
              | ({
                  code_expiration_minutes?: number
                  text?: string
                  /** @enum {string} */
                  type: 'FOOTER'
                } & {
                  [key: string]: unknown
                })
              | ({
                  buttons: ({
                    text?: string
                    /** @enum {unknown} */
                    type: 'QUICK_REPLY' | 'URL' | 'PHONE_NUMBER' | 'COPY_CODE' | 'OTP'
                    url?: string
                  } & {
                    [key: string]: unknown
                  })[]
                  /** @enum {string} */
                  type: 'BUTTONS'
                } & {
                  [key: string]: unknown
                })
            )[]
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @enum {unknown} */
              category: 'AUTHENTICATION' | 'MARKETING' | 'UTILITY'
              /** @description as the Cloud API writes them */
              components: unknown[]
              /** Format: date-time */
              createdAt: string
              language: string
              name: string
              /** @description parameters that a message must give */
              parameters: {
                body: string[]
                buttons: ('url' | 'copy_code' | 'otp')[]
                header: ('text' | 'image' | 'video' | 'document') | null
              }
              /** @description APPROVED, or as Meta says; only approved ones are sent */
              status: string
              /** Format: date-time */
              updatedAt: string
            }
          }
        }
        /** @description Default Response */
        201: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @enum {unknown} */
              category: 'AUTHENTICATION' | 'MARKETING' | 'UTILITY'
              /** @description as the Cloud API writes them */
              components: unknown[]
              /** Format: date-time */
              createdAt: string
              language: string
              name: string
              /** @description parameters that a message must give */
              parameters: {
                body: string[]
                buttons: ('url' | 'copy_code' | 'otp')[]
                header: ('text' | 'image' | 'video' | 'document') | null
              }
              /** @description APPROVED, or as Meta says; only approved ones are sent */
              status: string
              /** Format: date-time */
              updatedAt: string
            }
          }
        }
      }
    }
    post?: never
    /** Remove a template: its messages are no longer checked here */
    delete: {
      parameters: {
        query?: never
        header?: never
        path: {
          language: string
          name: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        204: {
          headers: {
            [name: string]: unknown
          }
          content?: never
        }
      }
    }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/outbound/templates/import': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Register the templates of a WhatsApp account as Meta lists them */
    post: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            /**
             * Format: uuid
             * @description default the server's account, with WHATSAPP_BUSINESS_ACCOUNT_ID
             */
            accountId?: string
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              imported: number
              /** @description of a form that is not supported */
              skipped: string[]
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/outboxes': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Outboxes with their counts and rates; for an operator of one organisation, its own messages */
    get: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                /** @description the table is large: finished states and large counts are estimated; for one organisation at most 10,000 messages are counted, or none if that takes long */
                approximate: boolean
                /** @description of all organisations together; null for an operator of one */
                attemptsPerSecond: number | null
                /** @description of all organisations together; null for an operator of one */
                blockedKeys: number | null
                counts: {
                  [key: string]: number
                }
                /** @description since when the one that has been dead longest is */
                deadSince: string | null
                /** @description due by the business clock */
                due: number
                /** @description of all organisations together; null for an operator of one */
                failureRate: number | null
                /** @description of all organisations together; null for an operator of one */
                heldKeys: number | null
                name: string
                oldestDueSeconds: number
                /** @description real time since the oldest that is due or was tried was written */
                oldestUndeliveredSeconds: number
                paused: boolean
                pausedAt: string | null
                pausedBy: string | null
                pauseReason: string | null
                /** @description of all organisations together; null for an operator of one */
                perSecond: number | null
                /** @description claimed and not tried: open breaker, busy destination, used-up limit */
                postponed: number
                /** @description of all organisations together; null for an operator of one */
                quarantined: number | null
                relays: number
                /** @description waiting for another attempt after a failure */
                retrying: number
                /** @description the word that this outbox has for each role of a state */
                roles: {
                  cancelled: string | null
                  claimed: string | null
                  confirmed: string | null
                  dead: string | null
                  failing: string | null
                  ready: string | null
                  retry: string | null
                  sent: string | null
                }
                /** @description due later and not claimed yet */
                scheduled: number
                states: string[]
              }[]
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/outboxes/{name}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** An outbox with its definition */
    get: {
      parameters: {
        query?: never
        header?: never
        path: {
          name: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description the table is large: finished states and large counts are estimated; for one organisation at most 10,000 messages are counted, or none if that takes long */
              approximate: boolean
              /** @description of all organisations together; null for an operator of one */
              attemptsPerSecond: number | null
              /** @description of all organisations together; null for an operator of one */
              blockedKeys: number | null
              counts: {
                [key: string]: number
              }
              /** @description since when the one that has been dead longest is */
              deadSince: string | null
              definition: {
                [key: string]: unknown
              }
              /** @description due by the business clock */
              due: number
              /** @description of all organisations together; null for an operator of one */
              failureRate: number | null
              /** @description of all organisations together; null for an operator of one */
              heldKeys: number | null
              name: string
              oldestDueSeconds: number
              /** @description real time since the oldest that is due or was tried was written */
              oldestUndeliveredSeconds: number
              paused: boolean
              pausedAt: string | null
              pausedBy: string | null
              pauseReason: string | null
              /** @description of all organisations together; null for an operator of one */
              perSecond: number | null
              /** @description claimed and not tried: open breaker, busy destination, used-up limit */
              postponed: number
              /** @description of all organisations together; null for an operator of one */
              quarantined: number | null
              relays: number
              /** @description waiting for another attempt after a failure */
              retrying: number
              /** @description the word that this outbox has for each role of a state */
              roles: {
                cancelled: string | null
                claimed: string | null
                confirmed: string | null
                dead: string | null
                failing: string | null
                ready: string | null
                retry: string | null
                sent: string | null
              }
              /** @description due later and not claimed yet */
              scheduled: number
              states: string[]
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/outboxes/{name}/dead-letters': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Dead messages of an outbox by error code and destination, most frequent first */
    get: {
      parameters: {
        query?: {
          code?: string
          key?: string
          since?: string
          tenant?: string
          type?: string
          until?: string
        }
        header?: never
        path: {
          name: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                code: string | null
                count: number
                /** @description their destinations, most messages first; empty if there are too many */
                destinations: {
                  count: number
                  destination: string
                  /** @description readable name of the destination, such as the URL of an endpoint */
                  name: string | null
                }[]
                /** @description the error of one of them */
                error: string | null
                firstDiedAt: string | null
                lastDiedAt: string | null
              }[]
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/outboxes/{name}/graph': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** The state machine of an outbox, with counts and rates */
    get: {
      parameters: {
        query?: never
        header?: never
        path: {
          name: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              approximate: boolean
              edges: {
                /** @description null for the creation of a message */
                from: string | null
                /** @description causes of this move; empty for a move that is in no definition */
                moves: string[]
                /** @description recently; null if the outbox does not record it */
                perMinute: number | null
                to: string
              }[]
              /** @description period of the rates */
              measuredSeconds: number
              nodes: {
                count: number
                roles: string[]
                state: string
              }[]
              record: string | null
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/outboxes/{name}/keys': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Keys that wait: blocked behind a dead message, or held until a retry is due */
    get: {
      parameters: {
        query?: {
          limit?: number
        }
        header?: never
        path: {
          name: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                blocked: boolean
                dueAt: string | null
                /** Format: date-time */
                heldAt: string
                /** @description the message, or why */
                heldBy: string
                key: string
              }[]
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/outboxes/{name}/keys/{key}/unblock': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Unblock a key: the messages behind its dead message are sent */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          key: string
          name: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              unblocked: boolean
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/outboxes/{name}/messages': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Messages of an outbox, newest first */
    get: {
      parameters: {
        query?: {
          /** @description of the last failure */
          code?: string
          /** @description `nextCursor` of the page before */
          cursor?: string
          /** @description anywhere in the last failure; reads row by row */
          error?: string
          id?: string
          key?: string
          limit?: number
          /** @description anywhere in the row; reads row by row */
          search?: string
          since?: string
          /** @description a field of the items, `-` before it for the highest first */
          sort?: '-createdAt' | 'createdAt'
          status?: string
          tenant?: string
          type?: string
          until?: string
        }
        header?: never
        path: {
          name: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                /** @description attempts made, the successful one included */
                attempts: number
                claimedUntil: string | null
                createdAt: string | null
                dueAt: string | null
                error: string | null
                errorCode: string | null
                held: boolean
                id: string
                key: string | null
                /** @description the definition's label: its case, order or recipient */
                label: string | null
                quarantinedAt: string | null
                state: string
                tenant: string | null
                type: string | null
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/outboxes/{name}/messages/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** A message: payload, headers, attempts, transitions */
    get: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
          name: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              archivedAt: string | null
              /** @description attempts made, the successful one included */
              attempts: number
              claimedUntil: string | null
              createdAt: string | null
              dueAt: string | null
              /** @description how the payload is stored; revealed: encrypted, shown decrypted here */
              encryption: 'none' | 'encrypted' | 'erased' | 'revealed'
              error: string | null
              errorCode: string | null
              held: boolean
              id: string
              key: string | null
              /** @description the definition's label: its case, order or recipient */
              label: string | null
              message: {
                [key: string]: unknown
              } | null
              quarantinedAt: string | null
              row: {
                [key: string]: unknown
              }
              state: string
              tenant: string | null
              transitions: {
                actor: string
                /** Format: date-time */
                at: string
                attempt: number | null
                code: string | null
                error: string | null
                from: string | null
                reason: string | null
                to: string
              }[]
              type: string | null
              unreadable: string | null
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/outboxes/{name}/messages/{id}/cancel': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** End a pending or dead message */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
          name: string
        }
        cookie?: never
      }
      requestBody?: {
        content: {
          'application/json': {
            reason?: string
          } | null
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              count: number
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/outboxes/{name}/messages/{id}/journey': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * The timeline of one message: transaction, outbox, topic, inboxes, and others of its trace
     * @description Read from tables only. `isComplete` is false if the search for messages of the same trace took too long.
     */
    get: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
          name: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              eventId: string | null
              isComplete: boolean
              messageId: string
              outbox: string
              steps: (
                | {
                    /** Format: date-time */
                    at: string
                    /** @enum {string} */
                    kind: 'created'
                  }
                | {
                    actor: string
                    /** Format: date-time */
                    at: string
                    attempt: number | null
                    code: string | null
                    error: string | null
                    from: string | null
                    /** @enum {string} */
                    kind: 'transition'
                    reason: string | null
                    to: string
                  }
                | {
                    at: string | null
                    groups: {
                      group: string
                      hasPassed: boolean
                    }[]
                    /** @enum {string} */
                    kind: 'arrived'
                    ref: {
                      [key: string]: string
                    }
                    topic: string
                    transport: string
                  }
                | {
                    /** Format: date-time */
                    at: string
                    consumer: string
                    inbox: string
                    /** @enum {string} */
                    kind: 'received'
                  }
                | {
                    /** Format: date-time */
                    at: string
                    /** @enum {string} */
                    kind: 'related'
                    messageId: string
                    outbox: string
                    state: string
                  }
              )[]
              traceId: string | null
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/outboxes/{name}/messages/{id}/replay': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Replay a dead message, with attempts at zero */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
          name: string
        }
        cookie?: never
      }
      requestBody?: {
        content: {
          'application/json': {
            reason?: string
          } | null
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        202: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              count: number
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/outboxes/{name}/messages/{id}/reveal': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** A message with its encrypted payload decrypted; the audit keeps who asked and why */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
          name: string
        }
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            reason: string
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              archivedAt: string | null
              /** @description attempts made, the successful one included */
              attempts: number
              claimedUntil: string | null
              createdAt: string | null
              dueAt: string | null
              /** @description how the payload is stored; revealed: encrypted, shown decrypted here */
              encryption: 'none' | 'encrypted' | 'erased' | 'revealed'
              error: string | null
              errorCode: string | null
              held: boolean
              id: string
              key: string | null
              /** @description the definition's label: its case, order or recipient */
              label: string | null
              message: {
                [key: string]: unknown
              } | null
              quarantinedAt: string | null
              row: {
                [key: string]: unknown
              }
              state: string
              tenant: string | null
              transitions: {
                actor: string
                /** Format: date-time */
                at: string
                attempt: number | null
                code: string | null
                error: string | null
                from: string | null
                reason: string | null
                to: string
              }[]
              type: string | null
              unreadable: string | null
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/outboxes/{name}/pause': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Pause: relays stop claiming in every process; messages in flight finish */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          name: string
        }
        cookie?: never
      }
      requestBody?: {
        content: {
          'application/json': {
            reason?: string
          } | null
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              name: string
              paused: boolean
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/outboxes/{name}/recurring': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Recurring messages of an outbox that a relay has registered, with next and last times */
    get: {
      parameters: {
        query?: never
        header?: never
        path: {
          name: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                enqueued: number
                error: string | null
                /** @description `every day at 06:00, Europe/Zurich` */
                inWords: string
                lastAt: string | null
                lastMessage: string | null
                /** @description handling of times without a running relay */
                missed: 'latest' | 'all' | 'skip' | null
                name: string
                nextAt: string | null
                /** @description due for more than a minute, and not paused */
                overdue: boolean
                pausedAt: string | null
                pausedBy: string | null
                pauseReason: string | null
                /** @description `every 30s`, or `cron 0 6 * * * Europe/Zurich` */
                rule: string
                /** @description last run by an operator */
                runAt: string | null
                runBy: string | null
                timeZone: string | null
              }[]
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/outboxes/{name}/recurring/{recurring}/pause': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Pause a recurring message in every process, after a running enqueue */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          name: string
          recurring: string
        }
        cookie?: never
      }
      requestBody?: {
        content: {
          'application/json': {
            reason?: string
          } | null
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description false: it was so before */
              changed: boolean
              recurring: {
                enqueued: number
                error: string | null
                /** @description `every day at 06:00, Europe/Zurich` */
                inWords: string
                lastAt: string | null
                lastMessage: string | null
                /** @description handling of times without a running relay */
                missed: 'latest' | 'all' | 'skip' | null
                name: string
                nextAt: string | null
                /** @description due for more than a minute, and not paused */
                overdue: boolean
                pausedAt: string | null
                pausedBy: string | null
                pauseReason: string | null
                /** @description `every 30s`, or `cron 0 6 * * * Europe/Zurich` */
                rule: string
                /** @description last run by an operator */
                runAt: string | null
                runBy: string | null
                timeZone: string | null
              }
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/outboxes/{name}/recurring/{recurring}/resume': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Resume a recurring message; what the pause left out is made up for as its definition says */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          name: string
          recurring: string
        }
        cookie?: never
      }
      requestBody?: {
        content: {
          'application/json': {
            /**
             * @description leave out the times of the pause
             * @enum {string}
             */
            missed?: 'skip'
            reason?: string
          } | null
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description false: it was so before */
              changed: boolean
              recurring: {
                enqueued: number
                error: string | null
                /** @description `every day at 06:00, Europe/Zurich` */
                inWords: string
                lastAt: string | null
                lastMessage: string | null
                /** @description handling of times without a running relay */
                missed: 'latest' | 'all' | 'skip' | null
                name: string
                nextAt: string | null
                /** @description due for more than a minute, and not paused */
                overdue: boolean
                pausedAt: string | null
                pausedBy: string | null
                pauseReason: string | null
                /** @description `every 30s`, or `cron 0 6 * * * Europe/Zurich` */
                rule: string
                /** @description last run by an operator */
                runAt: string | null
                runBy: string | null
                timeZone: string | null
              }
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/outboxes/{name}/recurring/{recurring}/run': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Enqueue a recurring message now, paused or not; its schedule does not change */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          name: string
          recurring: string
        }
        cookie?: never
      }
      requestBody?: {
        content: {
          'application/json': {
            reason?: string
            /** @description `runAt` as the caller saw it: 409 if another operator ran it since */
            seen?: string | null
          } | null
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description false: its dedupe key had this message before */
              created: boolean
              /** @description the id of the message */
              message: string
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/outboxes/{name}/replay': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Replay dead messages, all or by a filter, or count them */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          name: string
        }
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            dryRun?: boolean
            filter?: {
              code?: string
              ids?: string[]
              key?: string
              /** Format: date-time */
              since?: string
              tenant?: string
              type?: string
              /** Format: date-time */
              until?: string
            }
            limit?: number
            perSecond?: number
            reason?: string
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        202: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description number in this call */
              count: number
              dryRun: boolean
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/outboxes/{name}/replays': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** The latest replays, newest first, with how far they are */
    get: {
      parameters: {
        query?: never
        header?: never
        path: {
          name: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                by: string
                /** @description replayed messages that died again, which ends the replay */
                diedAgain: number
                endedAt: string | null
                filter: {
                  code?: string
                  ids?: string[]
                  key?: string
                  /** Format: date-time */
                  since?: string
                  tenant?: string
                  type?: string
                  /** Format: date-time */
                  until?: string
                }
                id: string
                /** @description matching messages at its start */
                matched: number
                outbox: string
                perSecond: number | null
                reason: string | null
                /** @description replayed so far */
                replayed: number
                /** Format: date-time */
                startedAt: string
                state: 'running' | 'done' | 'stopped'
                /** @description number to replay */
                wanted: number
              }[]
            }
          }
        }
      }
    }
    put?: never
    /** Start a replay of any number of dead messages in the background */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          name: string
        }
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            filter?: {
              code?: string
              ids?: string[]
              key?: string
              /** Format: date-time */
              since?: string
              tenant?: string
              type?: string
              /** Format: date-time */
              until?: string
            }
            limit?: number
            perSecond?: number
            reason?: string
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        202: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              by: string
              /** @description replayed messages that died again, which ends the replay */
              diedAgain: number
              endedAt: string | null
              filter: {
                code?: string
                ids?: string[]
                key?: string
                /** Format: date-time */
                since?: string
                tenant?: string
                type?: string
                /** Format: date-time */
                until?: string
              }
              id: string
              /** @description matching messages at its start */
              matched: number
              outbox: string
              perSecond: number | null
              reason: string | null
              /** @description replayed so far */
              replayed: number
              /** Format: date-time */
              startedAt: string
              state: 'running' | 'done' | 'stopped'
              /** @description number to replay */
              wanted: number
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/outboxes/{name}/replays/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** A replay and its progress */
    get: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
          name: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              by: string
              /** @description replayed messages that died again, which ends the replay */
              diedAgain: number
              endedAt: string | null
              filter: {
                code?: string
                ids?: string[]
                key?: string
                /** Format: date-time */
                since?: string
                tenant?: string
                type?: string
                /** Format: date-time */
                until?: string
              }
              id: string
              /** @description matching messages at its start */
              matched: number
              outbox: string
              perSecond: number | null
              reason: string | null
              /** @description replayed so far */
              replayed: number
              /** Format: date-time */
              startedAt: string
              state: 'running' | 'done' | 'stopped'
              /** @description number to replay */
              wanted: number
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/outboxes/{name}/replays/{id}/stop': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Stop a replay after its current batch; other messages stay dead */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
          name: string
        }
        cookie?: never
      }
      requestBody?: {
        content: {
          'application/json': {
            reason?: string
          } | null
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              by: string
              /** @description replayed messages that died again, which ends the replay */
              diedAgain: number
              endedAt: string | null
              filter: {
                code?: string
                ids?: string[]
                key?: string
                /** Format: date-time */
                since?: string
                tenant?: string
                type?: string
                /** Format: date-time */
                until?: string
              }
              id: string
              /** @description matching messages at its start */
              matched: number
              outbox: string
              perSecond: number | null
              reason: string | null
              /** @description replayed so far */
              replayed: number
              /** Format: date-time */
              startedAt: string
              state: 'running' | 'done' | 'stopped'
              /** @description number to replay */
              wanted: number
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/outboxes/{name}/resume': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Resume a paused outbox */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          name: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              name: string
              paused: boolean
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/overview': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** All outboxes at once: backlog, failures, relays */
    get: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              alerts: {
                bySource: {
                  [key: string]: number
                }
                /** @description open problems, one entry per cause, oldest first */
                causes: {
                  code: string
                  destination: string | null
                  /** @description of the newest alert */
                  detail: string
                  name: string | null
                  /** @description unacknowledged alerts */
                  open: number
                  /** Format: date-time */
                  since: string
                  source: string
                }[]
                open: number
                since: string | null
              }
              /** Format: date-time */
              at: string
              clock: {
                aheadSeconds: number
                /** Format: date-time */
                now: string
              }
              consumers: {
                dead: number
                group: string
                /** @description unacknowledged messages of the group; null before the first sample */
                lag: number | null
                oldestDeadAt: string | null
                /** @description set aside behind another one of their key */
                parked: number
                /** @description set aside until their next attempt */
                retrying: number
                sampledAt: string | null
                topic: string
                transport: string | null
              }[]
              /** @description destinations that did not answer in the last minute, the worst first, at most 20 */
              failing: {
                answered: number
                destination: string
                name: string | null
                outbox: string
                unanswered: number
              }[]
              outboxes: {
                /** @description its relays heard of in the last 15 s, with figures of their last heartbeat */
                alive: {
                  /** @description 95 % of the last minute’s claims took no longer; null without a claim */
                  claimMs: number | null
                  /** @description messages claimed and not settled */
                  inFlight: number
                  /** @description the longest that its event loop was blocked in the last minute */
                  lagMs: number
                  name: string
                  /** Format: date-time */
                  seenAt: string
                  /** @description messages settled in the last minute */
                  settledPerMinute: number
                  /** @description 95 % of the last minute’s settlements took no longer; null without one */
                  settleMs: number | null
                  /** Format: date-time */
                  startedAt: string
                  version: string | null
                }[]
                /** @description the table is large: finished states and large counts are estimated; for one organisation at most 10,000 messages are counted, or none if that takes long */
                approximate: boolean
                /** @description attempts of the last minute, delivered or not */
                attemptsPerSecond: number
                blockedKeys: number
                /** @description destinations with an open breaker */
                breakers: {
                  /** @description the last failure before it */
                  cause: {
                    code: string
                    message: string
                  } | null
                  destination: string
                  /** @description readable name of the destination, such as the URL of an endpoint */
                  name: string | null
                  nextProbeAt: string | null
                  /** Format: date-time */
                  openSince: string
                  relay: string
                }[]
                counts: {
                  [key: string]: number
                }
                /** @description since when the one that has been dead longest is */
                deadSince: string | null
                /** @description seconds until due messages are delivered at the rate of the last minute; null without deliveries */
                drainSeconds: number | null
                /** @description due by the business clock */
                due: number
                /** @description share of failed attempts */
                failureRate: number
                heldKeys: number
                name: string
                oldestDueSeconds: number
                /** @description real time since the oldest that is due or was tried was written */
                oldestUndeliveredSeconds: number
                openAlerts: number
                paused: boolean
                pausedAt: string | null
                pausedBy: string | null
                pauseReason: string | null
                /** @description delivered in the last minute, by the second */
                perSecond: number
                /** @description claimed and not tried: open breaker, busy destination, used-up limit */
                postponed: number
                quarantined: number
                relays: number
                /** @description waiting for another attempt after a failure */
                retrying: number
                /** @description the word that this outbox has for each role of a state */
                roles: {
                  cancelled: string | null
                  claimed: string | null
                  confirmed: string | null
                  dead: string | null
                  failing: string | null
                  ready: string | null
                  retry: string | null
                  sent: string | null
                }
                /** @description due later and not claimed yet */
                scheduled: number
                states: string[]
              }[]
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/overview/history': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * The last minutes of outboxes, for charts
     * @description Stretches of one minute up to three hours, of ten minutes beyond; the present one is the last. What waited is the most of each stretch, null where no relay counted it.
     */
    get: {
      parameters: {
        query?: {
          minutes?: number
          outbox?: string
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              outboxes: {
                [key: string]: {
                  /** Format: date-time */
                  at: string
                  dead: number
                  delivered: number
                  due: number | null
                  /** @description attempts that were made and did not succeed */
                  failed: number
                  lost: number
                  oldestDueSeconds: number | null
                  oldestUndeliveredSeconds: number | null
                  /** @description messages that were claimed and not tried */
                  postponed: number
                  retrying: number | null
                  /** @description elapsed seconds; the current period is incomplete */
                  seconds: number
                  waiting: number | null
                }[]
              }
              stretchSeconds: number
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/payments': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Payments, newest first; every filter narrows the list further */
    get: {
      parameters: {
        query?: {
          /** @description minor units */
          amount?: number
          /** @description minor units */
          amountFrom?: number
          /** @description minor units */
          amountTo?: number
          currency?: string
          /** @description `nextCursor` of the page before */
          cursor?: string
          /** @description with a dispute, open or not; or without */
          disputed?: boolean
          externalPaymentId?: string
          gatewayRef?: string
          limit?: number
          /** @description created then or later */
          since?: string
          /** @description a field of the items, `-` before it for the highest first */
          sort?: '-createdAt' | 'createdAt' | '-amount' | 'amount'
          status?: 'pending' | 'succeeded' | 'failed' | 'refunded'
          /** @description created before */
          until?: string
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                /** @description in minor units */
                amount: number
                /** @description of a payment with manual capture; null until the gateway has answered */
                authorisation: ('authorised' | 'captured' | 'voided' | 'expired') | null
                /** @enum {unknown} */
                capture: 'automatic' | 'manual'
                /** @description captured amount, in minor units */
                capturedAmount: number | null
                createdAt: string
                currency: string
                description: string | null
                /** @description of disputes that are open or lost; not of inquiries */
                disputedAmount: number
                disputeStatus: ('inquiry' | 'opened' | 'won' | 'lost' | 'withdrawn') | null
                errorCode: string | null
                errorMessage: string | null
                externalPaymentId: string | null
                gatewayRef: string | null
                /** Format: uuid */
                id: string
                metadata: {
                  [key: string]: unknown
                } | null
                /** @description captured amount less refunds and disputes; may be negative */
                netAmount: number
                /** @description in lists its type alone */
                nextAction: {
                  /** @description of an sdk: for the gateway’s own library */
                  clientSecret?: string
                  /** @enum {unknown} */
                  type: 'redirect' | 'sdk'
                  /** @description of a redirect: the customer's address */
                  url?: string
                } | null
                paymentMethod: string | null
                /** @description given back, as the gateway confirmed */
                refundedAmount: number
                refundedAt: string | null
                settledAt: string | null
                /** @enum {unknown} */
                status: 'pending' | 'succeeded' | 'failed' | 'refunded'
                updatedAt: string
                userId: string
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    /** Take a payment, once per Idempotency-Key */
    post: {
      parameters: {
        query?: never
        header: {
          /** @description yours, and this route’s, for 24 hours */
          'idempotency-key': string
        }
        path?: never
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            /** @description in minor units */
            amount: number
            /**
             * @description manual: the money is held, to be captured or voided later; automatic
             * @enum {unknown}
             */
            capture?: 'automatic' | 'manual'
            /** @description ISO 4217 */
            currency: string
            description?: string
            externalPaymentId?: string
            metadata?: {
              [key: string]: unknown
            }
            /** @description the gateway's name of the payment method, such as pm_card_visa */
            paymentMethod?: string
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description in minor units */
              amount: number
              /** @description of a payment with manual capture; null until the gateway has answered */
              authorisation?: ('authorised' | 'captured' | 'voided' | 'expired') | null
              /** @description captured amount, in minor units */
              capturedAmount?: number | null
              createdAt: string
              currency: string
              externalPaymentId: string | null
              gatewayRef: string | null
              /** Format: uuid */
              id: string
              /** @description the customer has to authenticate; the webhook says how that ended */
              nextAction?: {
                /** @description of an sdk: for the gateway’s own library */
                clientSecret?: string
                /** @enum {unknown} */
                type: 'redirect' | 'sdk'
                /** @description of a redirect: the customer's address */
                url?: string
              }
              /** @enum {unknown} */
              status: 'pending' | 'succeeded' | 'failed' | 'refunded'
            }
          }
        }
        /** @description Default Response */
        201: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description in minor units */
              amount: number
              /** @description of a payment with manual capture; null until the gateway has answered */
              authorisation?: ('authorised' | 'captured' | 'voided' | 'expired') | null
              /** @description captured amount, in minor units */
              capturedAmount?: number | null
              createdAt: string
              currency: string
              externalPaymentId: string | null
              gatewayRef: string | null
              /** Format: uuid */
              id: string
              /** @description the customer has to authenticate; the webhook says how that ended */
              nextAction?: {
                /** @description of an sdk: for the gateway’s own library */
                clientSecret?: string
                /** @enum {unknown} */
                type: 'redirect' | 'sdk'
                /** @description of a redirect: the customer's address */
                url?: string
              }
              /** @enum {unknown} */
              status: 'pending' | 'succeeded' | 'failed' | 'refunded'
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/payments/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** A payment */
    get: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description in minor units */
              amount: number
              /** @description of a payment with manual capture; null until the gateway has answered */
              authorisation: ('authorised' | 'captured' | 'voided' | 'expired') | null
              /** @enum {unknown} */
              capture: 'automatic' | 'manual'
              /** @description captured amount, in minor units */
              capturedAmount: number | null
              createdAt: string
              currency: string
              description: string | null
              /** @description of disputes that are open or lost; not of inquiries */
              disputedAmount: number
              disputeStatus: ('inquiry' | 'opened' | 'won' | 'lost' | 'withdrawn') | null
              errorCode: string | null
              errorMessage: string | null
              externalPaymentId: string | null
              gatewayRef: string | null
              /** Format: uuid */
              id: string
              metadata: {
                [key: string]: unknown
              } | null
              /** @description captured amount less refunds and disputes; may be negative */
              netAmount: number
              /** @description in lists its type alone */
              nextAction: {
                /** @description of an sdk: for the gateway’s own library */
                clientSecret?: string
                /** @enum {unknown} */
                type: 'redirect' | 'sdk'
                /** @description of a redirect: the customer's address */
                url?: string
              } | null
              paymentMethod: string | null
              /** @description given back, as the gateway confirmed */
              refundedAmount: number
              refundedAt: string | null
              settledAt: string | null
              /** @enum {unknown} */
              status: 'pending' | 'succeeded' | 'failed' | 'refunded'
              updatedAt: string
              userId: string
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    /**
     * Change the metadata of a payment
     * @description Each field that is given is set, or removed if it is null; all others stay. So a payment can be told its payout once it is known.
     */
    patch: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            metadata: {
              [key: string]: unknown
            }
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description in minor units */
              amount: number
              /** @description of a payment with manual capture; null until the gateway has answered */
              authorisation: ('authorised' | 'captured' | 'voided' | 'expired') | null
              /** @enum {unknown} */
              capture: 'automatic' | 'manual'
              /** @description captured amount, in minor units */
              capturedAmount: number | null
              createdAt: string
              currency: string
              description: string | null
              /** @description of disputes that are open or lost; not of inquiries */
              disputedAmount: number
              disputeStatus: ('inquiry' | 'opened' | 'won' | 'lost' | 'withdrawn') | null
              errorCode: string | null
              errorMessage: string | null
              externalPaymentId: string | null
              gatewayRef: string | null
              /** Format: uuid */
              id: string
              metadata: {
                [key: string]: unknown
              } | null
              /** @description captured amount less refunds and disputes; may be negative */
              netAmount: number
              /** @description in lists its type alone */
              nextAction: {
                /** @description of an sdk: for the gateway’s own library */
                clientSecret?: string
                /** @enum {unknown} */
                type: 'redirect' | 'sdk'
                /** @description of a redirect: the customer's address */
                url?: string
              } | null
              paymentMethod: string | null
              /** @description given back, as the gateway confirmed */
              refundedAmount: number
              refundedAt: string | null
              settledAt: string | null
              /** @enum {unknown} */
              status: 'pending' | 'succeeded' | 'failed' | 'refunded'
              updatedAt: string
              userId: string
            }
          }
        }
      }
    }
    trace?: never
  }
  '/api/v1/payments/{id}/audit': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** What happened to a payment, newest first */
    get: {
      parameters: {
        query?: {
          /** @description `nextCursor` of the page before */
          cursor?: string
          limit?: number
        }
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                action: string
                actor: string
                createdAt: string
                details: {
                  [key: string]: unknown
                }
                id: string
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/payments/{id}/capture': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Capture an authorisation, or a part of it; the rest is released
     * @description Above the limit for four eyes it is proposed instead (202), and done when another user approves it.
     */
    post: {
      parameters: {
        query?: never
        header?: {
          /** @description yours, and this route’s, for 24 hours */
          'idempotency-key'?: string
        }
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: {
        content: {
          'application/json': {
            /** @description in minor units; left out: all that is authorised */
            amount?: number
          } | null
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description in minor units */
              amount: number
              /** @description of a payment with manual capture; null until the gateway has answered */
              authorisation?: ('authorised' | 'captured' | 'voided' | 'expired') | null
              /** @description captured amount, in minor units */
              capturedAmount?: number | null
              createdAt: string
              currency: string
              externalPaymentId: string | null
              gatewayRef: string | null
              /** Format: uuid */
              id: string
              /** @description the customer has to authenticate; the webhook says how that ended */
              nextAction?: {
                /** @description of an sdk: for the gateway’s own library */
                clientSecret?: string
                /** @enum {unknown} */
                type: 'redirect' | 'sdk'
                /** @description of a redirect: the customer's address */
                url?: string
              }
              /** @enum {unknown} */
              status: 'pending' | 'succeeded' | 'failed' | 'refunded'
            }
          }
        }
        /** @description Default Response */
        202: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description in minor units */
              amount: number | null
              currency: string | null
              decidedAt: string | null
              decidedBy: string | null
              decisionReason: string | null
              /** Format: date-time */
              expiresAt: string
              /** Format: uuid */
              id: string
              /** @enum {unknown} */
              kind: 'refund' | 'capture' | 'void' | 'decision' | 'discard' | 'limits'
              /** Format: date-time */
              proposedAt: string
              proposedBy: string
              reason: string | null
              request: {
                [key: string]: unknown
              }
              result: {
                [key: string]: unknown
              } | null
              /** @enum {unknown} */
              status: 'pending' | 'approved' | 'rejected' | 'withdrawn' | 'expired'
              /** @description the payment, `run/line` of a record, the run, or `limits` */
              subject: string
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/payments/{id}/disputes': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** The disputes of a payment, oldest first */
    get: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                amount: number
                closedAt: string | null
                currency: string
                evidenceDueAt: string | null
                /** @description its id at the gateway */
                gatewayRef: string
                /** Format: uuid */
                id: string
                openedAt: string
                /** Format: uuid */
                paymentId: string
                reason: string | null
                /** @enum {unknown} */
                status: 'inquiry' | 'opened' | 'won' | 'lost' | 'withdrawn'
              }[]
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/payments/{id}/refunds': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** The refunds of a payment as they stand now, oldest first */
    get: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                amount: number
                /** @description when the gateway's webhook confirmed the refund */
                confirmedAt: string | null
                createdAt: string
                currency: string
                errorCode: string | null
                errorMessage: string | null
                gatewayRef: string | null
                /** Format: uuid */
                id: string
                /** Format: uuid */
                paymentId: string
                /**
                 * @description pending until the gateway’s webhook reports the outcome
                 * @enum {unknown}
                 */
                status: 'pending' | 'succeeded' | 'failed'
                updatedAt: string
              }[]
            }
          }
        }
      }
    }
    put?: never
    /**
     * Refund an amount of a payment, or the rest
     * @description Above the limit for four eyes it is proposed instead (202), and done when another user approves it.
     */
    post: {
      parameters: {
        query?: never
        header?: {
          /** @description yours, and this route’s, for 24 hours */
          'idempotency-key'?: string
        }
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: {
        content: {
          'application/json': {
            /** @description in minor units; left out: all that is left */
            amount?: number
          } | null
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              amount: number
              createdAt: string
              currency: string
              gatewayRef: string | null
              /** Format: uuid */
              id: string
              /** Format: uuid */
              paymentId: string
              /**
               * @description pending until the gateway’s webhook reports the outcome
               * @enum {unknown}
               */
              status: 'pending' | 'succeeded' | 'failed'
            }
          }
        }
        /** @description Default Response */
        201: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              amount: number
              createdAt: string
              currency: string
              gatewayRef: string | null
              /** Format: uuid */
              id: string
              /** Format: uuid */
              paymentId: string
              /**
               * @description pending until the gateway’s webhook reports the outcome
               * @enum {unknown}
               */
              status: 'pending' | 'succeeded' | 'failed'
            }
          }
        }
        /** @description Default Response */
        202: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description in minor units */
              amount: number | null
              currency: string | null
              decidedAt: string | null
              decidedBy: string | null
              decisionReason: string | null
              /** Format: date-time */
              expiresAt: string
              /** Format: uuid */
              id: string
              /** @enum {unknown} */
              kind: 'refund' | 'capture' | 'void' | 'decision' | 'discard' | 'limits'
              /** Format: date-time */
              proposedAt: string
              proposedBy: string
              reason: string | null
              request: {
                [key: string]: unknown
              }
              result: {
                [key: string]: unknown
              } | null
              /** @enum {unknown} */
              status: 'pending' | 'approved' | 'rejected' | 'withdrawn' | 'expired'
              /** @description the payment, `run/line` of a record, the run, or `limits` */
              subject: string
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/payments/{id}/refunds/{refundId}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** A refund as it stands now */
    get: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
          refundId: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              amount: number
              /** @description when the gateway's webhook confirmed the refund */
              confirmedAt: string | null
              createdAt: string
              currency: string
              errorCode: string | null
              errorMessage: string | null
              gatewayRef: string | null
              /** Format: uuid */
              id: string
              /** Format: uuid */
              paymentId: string
              /**
               * @description pending until the gateway’s webhook reports the outcome
               * @enum {unknown}
               */
              status: 'pending' | 'succeeded' | 'failed'
              updatedAt: string
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/payments/{id}/transactions': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** What the gateway was asked to do for a payment, oldest first */
    get: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                amount: number
                createdAt: string
                currency: string
                errorCode: string | null
                errorMessage: string | null
                /** @description ours: the gateway does the same key once */
                gatewayKey: string
                gatewayRef: string | null
                /** Format: uuid */
                id: string
                /** @enum {unknown} */
                status: 'pending' | 'succeeded' | 'failed'
                /** @enum {unknown} */
                type: 'charge' | 'authorisation' | 'capture' | 'void' | 'refund'
                updatedAt: string
              }[]
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/payments/{id}/void': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Void an authorisation
     * @description Above the limit for four eyes it is proposed instead (202), and done when another user approves it.
     */
    post: {
      parameters: {
        query?: never
        header?: {
          /** @description yours, and this route’s, for 24 hours */
          'idempotency-key'?: string
        }
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description in minor units */
              amount: number
              /** @description of a payment with manual capture; null until the gateway has answered */
              authorisation?: ('authorised' | 'captured' | 'voided' | 'expired') | null
              /** @description captured amount, in minor units */
              capturedAmount?: number | null
              createdAt: string
              currency: string
              externalPaymentId: string | null
              gatewayRef: string | null
              /** Format: uuid */
              id: string
              /** @description the customer has to authenticate; the webhook says how that ended */
              nextAction?: {
                /** @description of an sdk: for the gateway’s own library */
                clientSecret?: string
                /** @enum {unknown} */
                type: 'redirect' | 'sdk'
                /** @description of a redirect: the customer's address */
                url?: string
              }
              /** @enum {unknown} */
              status: 'pending' | 'succeeded' | 'failed' | 'refunded'
            }
          }
        }
        /** @description Default Response */
        202: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description in minor units */
              amount: number | null
              currency: string | null
              decidedAt: string | null
              decidedBy: string | null
              decisionReason: string | null
              /** Format: date-time */
              expiresAt: string
              /** Format: uuid */
              id: string
              /** @enum {unknown} */
              kind: 'refund' | 'capture' | 'void' | 'decision' | 'discard' | 'limits'
              /** Format: date-time */
              proposedAt: string
              proposedBy: string
              reason: string | null
              request: {
                [key: string]: unknown
              }
              result: {
                [key: string]: unknown
              } | null
              /** @enum {unknown} */
              status: 'pending' | 'approved' | 'rejected' | 'withdrawn' | 'expired'
              /** @description the payment, `run/line` of a record, the run, or `limits` */
              subject: string
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/portal-tokens': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * A short-lived token for an organisation's embedded portal
     * @description Make it on your server for a user that is logged in to your site, and embed `url` in a frame. The token reaches the webhook routes of its organisation and nothing else. The origins that may embed the portal are in PORTAL_FRAME_ANCESTORS.
     */
    post: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            /** @description 900 by default */
            expiresInSeconds?: number
            /** @description another organisation than your own: the platform's operators may */
            org?: string
            /** @description true: it can look, and change nothing */
            readOnly?: boolean
            user?: string
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        201: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** Format: date-time */
              expiresAt: string
              org: string
              readOnly: boolean
              token: string
              /** @description with the token after #, which browsers do not send */
              url: string
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/reconciliation-profiles': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Profiles, newest first */
    get: {
      parameters: {
        query?: {
          /** @description `nextCursor` of the page before */
          cursor?: string
          limit?: number
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                createdAt: string
                /** Format: uuid */
                id: string
                name: string
                rules: {
                  /**
                   * @description camt.053 and MT940: whether a file whose balances do not tie out is loaded and says so, the default, or refused
                   * @enum {unknown}
                   */
                  balances?: 'report' | 'require'
                  /** @description camt.053: which reference is the transaction id, the first that is there; default `EndToEndId`, `TxId`, `InstrId`, `AcctSvcrRef`, `NtryRef` */
                  camtReferences?: (
                    | 'EndToEndId'
                    | 'TxId'
                    | 'InstrId'
                    | 'UETR'
                    | 'AcctSvcrRef'
                    | 'PmtInfId'
                    | 'MsgId'
                    | 'CdtrRef'
                    | 'ChqNb'
                    | 'ClrSysRef'
                    | 'NtryRef'
                  )[]
                  columns: {
                    amount?: string | number
                    credit?: string | number
                    currency?: string | number
                    date: string | number
                    debit?: string | number
                    externalTransactionId: string | number
                    flag?: string | number
                  }
                  creditFlags?: string[]
                  /** @description of every row, if no column has it */
                  currency?: string
                  /**
                   * @description of `yyyy`, `yy`, `MM`, `M`, `dd`, `d`, `HH`, `mm`, `ss` and separators
                   * @default yyyy-MM-dd
                   */
                  dateFormat: string
                  debitFlags?: string[]
                  /**
                   * @default .
                   * @enum {unknown}
                   */
                  decimal: '.' | ','
                  /**
                   * @default ,
                   * @enum {unknown}
                   */
                  delimiter: ',' | ';' | '\t' | '|'
                  /**
                   * @description `latin1` is read as windows-1252, which has all of it
                   * @default utf-8
                   * @enum {unknown}
                   */
                  encoding: 'utf-8' | 'windows-1252' | 'latin1'
                  /**
                   * @description default: detected from the file; all other rules are for `csv`
                   * @enum {unknown}
                   */
                  format?: 'csv' | 'camt.053' | 'mt940'
                  /**
                   * @description line with the names of the columns; null: none
                   * @default 1
                   */
                  headerLine: number | null
                  /** @description MT940: `customer` and `bank` of field 61, the others of field 86; default `EREF`, `customer`, `KREF`, `bank` */
                  mt940References?: ('EREF' | 'KREF' | 'MREF' | 'customer' | 'bank')[]
                  /**
                   * @description where the sign is: in `amount`; in which of the columns `debit` and `credit` the amount is; in `flag`
                   * @default signed
                   * @enum {unknown}
                   */
                  sign: 'signed' | 'debit-credit' | 'flag'
                  /** @description camt.053 and MT940: a word of the remittance text that is the transaction id where it is found, before any reference: `#` is a digit, `*` any letters and digits, as in `INV-####` */
                  textPattern?: string
                  /**
                   * @default
                   * @enum {unknown}
                   */
                  thousands: '' | ',' | '.' | ' ' | "'"
                } & (unknown &
                  unknown &
                  unknown &
                  (
                    | unknown
                    | {
                        columns: unknown
                      }
                  ))
                updatedAt: string
                version: number
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    /** Define how to read files of a bank */
    post: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            /** @description of the bank, say */
            name: string
            rules: {
              /**
               * @description camt.053 and MT940: whether a file whose balances do not tie out is loaded and says so, the default, or refused
               * @enum {unknown}
               */
              balances?: 'report' | 'require'
              /** @description camt.053: which reference is the transaction id, the first that is there; default `EndToEndId`, `TxId`, `InstrId`, `AcctSvcrRef`, `NtryRef` */
              camtReferences?: (
                | 'EndToEndId'
                | 'TxId'
                | 'InstrId'
                | 'UETR'
                | 'AcctSvcrRef'
                | 'PmtInfId'
                | 'MsgId'
                | 'CdtrRef'
                | 'ChqNb'
                | 'ClrSysRef'
                | 'NtryRef'
              )[]
              columns: {
                amount?: string | number
                credit?: string | number
                currency?: string | number
                date: string | number
                debit?: string | number
                externalTransactionId: string | number
                flag?: string | number
              }
              creditFlags?: string[]
              /** @description of every row, if no column has it */
              currency?: string
              /**
               * @description of `yyyy`, `yy`, `MM`, `M`, `dd`, `d`, `HH`, `mm`, `ss` and separators
               * @default yyyy-MM-dd
               */
              dateFormat: string
              debitFlags?: string[]
              /**
               * @default .
               * @enum {unknown}
               */
              decimal: '.' | ','
              /**
               * @default ,
               * @enum {unknown}
               */
              delimiter: ',' | ';' | '\t' | '|'
              /**
               * @description `latin1` is read as windows-1252, which has all of it
               * @default utf-8
               * @enum {unknown}
               */
              encoding: 'utf-8' | 'windows-1252' | 'latin1'
              /**
               * @description default: detected from the file; all other rules are for `csv`
               * @enum {unknown}
               */
              format?: 'csv' | 'camt.053' | 'mt940'
              /**
               * @description line with the names of the columns; null: none
               * @default 1
               */
              headerLine: number | null
              /** @description MT940: `customer` and `bank` of field 61, the others of field 86; default `EREF`, `customer`, `KREF`, `bank` */
              mt940References?: ('EREF' | 'KREF' | 'MREF' | 'customer' | 'bank')[]
              /**
               * @description where the sign is: in `amount`; in which of the columns `debit` and `credit` the amount is; in `flag`
               * @default signed
               * @enum {unknown}
               */
              sign: 'signed' | 'debit-credit' | 'flag'
              /** @description camt.053 and MT940: a word of the remittance text that is the transaction id where it is found, before any reference: `#` is a digit, `*` any letters and digits, as in `INV-####` */
              textPattern?: string
              /**
               * @default
               * @enum {unknown}
               */
              thousands: '' | ',' | '.' | ' ' | "'"
            } & (unknown &
              unknown &
              unknown &
              (
                | unknown
                | {
                    columns: unknown
                  }
              ))
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        201: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              createdAt: string
              /** Format: uuid */
              id: string
              name: string
              rules: {
                /**
                 * @description camt.053 and MT940: whether a file whose balances do not tie out is loaded and says so, the default, or refused
                 * @enum {unknown}
                 */
                balances?: 'report' | 'require'
                /** @description camt.053: which reference is the transaction id, the first that is there; default `EndToEndId`, `TxId`, `InstrId`, `AcctSvcrRef`, `NtryRef` */
                camtReferences?: (
                  | 'EndToEndId'
                  | 'TxId'
                  | 'InstrId'
                  | 'UETR'
                  | 'AcctSvcrRef'
                  | 'PmtInfId'
                  | 'MsgId'
                  | 'CdtrRef'
                  | 'ChqNb'
                  | 'ClrSysRef'
                  | 'NtryRef'
                )[]
                columns: {
                  amount?: string | number
                  credit?: string | number
                  currency?: string | number
                  date: string | number
                  debit?: string | number
                  externalTransactionId: string | number
                  flag?: string | number
                }
                creditFlags?: string[]
                /** @description of every row, if no column has it */
                currency?: string
                /**
                 * @description of `yyyy`, `yy`, `MM`, `M`, `dd`, `d`, `HH`, `mm`, `ss` and separators
                 * @default yyyy-MM-dd
                 */
                dateFormat: string
                debitFlags?: string[]
                /**
                 * @default .
                 * @enum {unknown}
                 */
                decimal: '.' | ','
                /**
                 * @default ,
                 * @enum {unknown}
                 */
                delimiter: ',' | ';' | '\t' | '|'
                /**
                 * @description `latin1` is read as windows-1252, which has all of it
                 * @default utf-8
                 * @enum {unknown}
                 */
                encoding: 'utf-8' | 'windows-1252' | 'latin1'
                /**
                 * @description default: detected from the file; all other rules are for `csv`
                 * @enum {unknown}
                 */
                format?: 'csv' | 'camt.053' | 'mt940'
                /**
                 * @description line with the names of the columns; null: none
                 * @default 1
                 */
                headerLine: number | null
                /** @description MT940: `customer` and `bank` of field 61, the others of field 86; default `EREF`, `customer`, `KREF`, `bank` */
                mt940References?: ('EREF' | 'KREF' | 'MREF' | 'customer' | 'bank')[]
                /**
                 * @description where the sign is: in `amount`; in which of the columns `debit` and `credit` the amount is; in `flag`
                 * @default signed
                 * @enum {unknown}
                 */
                sign: 'signed' | 'debit-credit' | 'flag'
                /** @description camt.053 and MT940: a word of the remittance text that is the transaction id where it is found, before any reference: `#` is a digit, `*` any letters and digits, as in `INV-####` */
                textPattern?: string
                /**
                 * @default
                 * @enum {unknown}
                 */
                thousands: '' | ',' | '.' | ' ' | "'"
              } & (unknown &
                unknown &
                unknown &
                (
                  | unknown
                  | {
                      columns: unknown
                    }
                ))
              updatedAt: string
              version: number
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/reconciliation-profiles/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** A profile with its current rules */
    get: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              createdAt: string
              /** Format: uuid */
              id: string
              name: string
              rules: {
                /**
                 * @description camt.053 and MT940: whether a file whose balances do not tie out is loaded and says so, the default, or refused
                 * @enum {unknown}
                 */
                balances?: 'report' | 'require'
                /** @description camt.053: which reference is the transaction id, the first that is there; default `EndToEndId`, `TxId`, `InstrId`, `AcctSvcrRef`, `NtryRef` */
                camtReferences?: (
                  | 'EndToEndId'
                  | 'TxId'
                  | 'InstrId'
                  | 'UETR'
                  | 'AcctSvcrRef'
                  | 'PmtInfId'
                  | 'MsgId'
                  | 'CdtrRef'
                  | 'ChqNb'
                  | 'ClrSysRef'
                  | 'NtryRef'
                )[]
                columns: {
                  amount?: string | number
                  credit?: string | number
                  currency?: string | number
                  date: string | number
                  debit?: string | number
                  externalTransactionId: string | number
                  flag?: string | number
                }
                creditFlags?: string[]
                /** @description of every row, if no column has it */
                currency?: string
                /**
                 * @description of `yyyy`, `yy`, `MM`, `M`, `dd`, `d`, `HH`, `mm`, `ss` and separators
                 * @default yyyy-MM-dd
                 */
                dateFormat: string
                debitFlags?: string[]
                /**
                 * @default .
                 * @enum {unknown}
                 */
                decimal: '.' | ','
                /**
                 * @default ,
                 * @enum {unknown}
                 */
                delimiter: ',' | ';' | '\t' | '|'
                /**
                 * @description `latin1` is read as windows-1252, which has all of it
                 * @default utf-8
                 * @enum {unknown}
                 */
                encoding: 'utf-8' | 'windows-1252' | 'latin1'
                /**
                 * @description default: detected from the file; all other rules are for `csv`
                 * @enum {unknown}
                 */
                format?: 'csv' | 'camt.053' | 'mt940'
                /**
                 * @description line with the names of the columns; null: none
                 * @default 1
                 */
                headerLine: number | null
                /** @description MT940: `customer` and `bank` of field 61, the others of field 86; default `EREF`, `customer`, `KREF`, `bank` */
                mt940References?: ('EREF' | 'KREF' | 'MREF' | 'customer' | 'bank')[]
                /**
                 * @description where the sign is: in `amount`; in which of the columns `debit` and `credit` the amount is; in `flag`
                 * @default signed
                 * @enum {unknown}
                 */
                sign: 'signed' | 'debit-credit' | 'flag'
                /** @description camt.053 and MT940: a word of the remittance text that is the transaction id where it is found, before any reference: `#` is a digit, `*` any letters and digits, as in `INV-####` */
                textPattern?: string
                /**
                 * @default
                 * @enum {unknown}
                 */
                thousands: '' | ',' | '.' | ' ' | "'"
              } & (unknown &
                unknown &
                unknown &
                (
                  | unknown
                  | {
                      columns: unknown
                    }
                ))
              updatedAt: string
              version: number
            }
          }
        }
      }
    }
    put?: never
    post?: never
    /** Remove a profile; runs keep their version */
    delete: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        204: {
          headers: {
            [name: string]: unknown
          }
          content?: never
        }
      }
    }
    options?: never
    head?: never
    /** Change a profile; other rules are a new version */
    patch: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            /** @description of the bank, say */
            name?: string
            rules?: {
              /**
               * @description camt.053 and MT940: whether a file whose balances do not tie out is loaded and says so, the default, or refused
               * @enum {unknown}
               */
              balances?: 'report' | 'require'
              /** @description camt.053: which reference is the transaction id, the first that is there; default `EndToEndId`, `TxId`, `InstrId`, `AcctSvcrRef`, `NtryRef` */
              camtReferences?: (
                | 'EndToEndId'
                | 'TxId'
                | 'InstrId'
                | 'UETR'
                | 'AcctSvcrRef'
                | 'PmtInfId'
                | 'MsgId'
                | 'CdtrRef'
                | 'ChqNb'
                | 'ClrSysRef'
                | 'NtryRef'
              )[]
              columns: {
                amount?: string | number
                credit?: string | number
                currency?: string | number
                date: string | number
                debit?: string | number
                externalTransactionId: string | number
                flag?: string | number
              }
              creditFlags?: string[]
              /** @description of every row, if no column has it */
              currency?: string
              /**
               * @description of `yyyy`, `yy`, `MM`, `M`, `dd`, `d`, `HH`, `mm`, `ss` and separators
               * @default yyyy-MM-dd
               */
              dateFormat: string
              debitFlags?: string[]
              /**
               * @default .
               * @enum {unknown}
               */
              decimal: '.' | ','
              /**
               * @default ,
               * @enum {unknown}
               */
              delimiter: ',' | ';' | '\t' | '|'
              /**
               * @description `latin1` is read as windows-1252, which has all of it
               * @default utf-8
               * @enum {unknown}
               */
              encoding: 'utf-8' | 'windows-1252' | 'latin1'
              /**
               * @description default: detected from the file; all other rules are for `csv`
               * @enum {unknown}
               */
              format?: 'csv' | 'camt.053' | 'mt940'
              /**
               * @description line with the names of the columns; null: none
               * @default 1
               */
              headerLine: number | null
              /** @description MT940: `customer` and `bank` of field 61, the others of field 86; default `EREF`, `customer`, `KREF`, `bank` */
              mt940References?: ('EREF' | 'KREF' | 'MREF' | 'customer' | 'bank')[]
              /**
               * @description where the sign is: in `amount`; in which of the columns `debit` and `credit` the amount is; in `flag`
               * @default signed
               * @enum {unknown}
               */
              sign: 'signed' | 'debit-credit' | 'flag'
              /** @description camt.053 and MT940: a word of the remittance text that is the transaction id where it is found, before any reference: `#` is a digit, `*` any letters and digits, as in `INV-####` */
              textPattern?: string
              /**
               * @default
               * @enum {unknown}
               */
              thousands: '' | ',' | '.' | ' ' | "'"
            } & (unknown &
              unknown &
              unknown &
              (
                | unknown
                | {
                    columns: unknown
                  }
              ))
            /** @description that was seen; with a newer one, 409 */
            version?: number
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              createdAt: string
              /** Format: uuid */
              id: string
              name: string
              rules: {
                /**
                 * @description camt.053 and MT940: whether a file whose balances do not tie out is loaded and says so, the default, or refused
                 * @enum {unknown}
                 */
                balances?: 'report' | 'require'
                /** @description camt.053: which reference is the transaction id, the first that is there; default `EndToEndId`, `TxId`, `InstrId`, `AcctSvcrRef`, `NtryRef` */
                camtReferences?: (
                  | 'EndToEndId'
                  | 'TxId'
                  | 'InstrId'
                  | 'UETR'
                  | 'AcctSvcrRef'
                  | 'PmtInfId'
                  | 'MsgId'
                  | 'CdtrRef'
                  | 'ChqNb'
                  | 'ClrSysRef'
                  | 'NtryRef'
                )[]
                columns: {
                  amount?: string | number
                  credit?: string | number
                  currency?: string | number
                  date: string | number
                  debit?: string | number
                  externalTransactionId: string | number
                  flag?: string | number
                }
                creditFlags?: string[]
                /** @description of every row, if no column has it */
                currency?: string
                /**
                 * @description of `yyyy`, `yy`, `MM`, `M`, `dd`, `d`, `HH`, `mm`, `ss` and separators
                 * @default yyyy-MM-dd
                 */
                dateFormat: string
                debitFlags?: string[]
                /**
                 * @default .
                 * @enum {unknown}
                 */
                decimal: '.' | ','
                /**
                 * @default ,
                 * @enum {unknown}
                 */
                delimiter: ',' | ';' | '\t' | '|'
                /**
                 * @description `latin1` is read as windows-1252, which has all of it
                 * @default utf-8
                 * @enum {unknown}
                 */
                encoding: 'utf-8' | 'windows-1252' | 'latin1'
                /**
                 * @description default: detected from the file; all other rules are for `csv`
                 * @enum {unknown}
                 */
                format?: 'csv' | 'camt.053' | 'mt940'
                /**
                 * @description line with the names of the columns; null: none
                 * @default 1
                 */
                headerLine: number | null
                /** @description MT940: `customer` and `bank` of field 61, the others of field 86; default `EREF`, `customer`, `KREF`, `bank` */
                mt940References?: ('EREF' | 'KREF' | 'MREF' | 'customer' | 'bank')[]
                /**
                 * @description where the sign is: in `amount`; in which of the columns `debit` and `credit` the amount is; in `flag`
                 * @default signed
                 * @enum {unknown}
                 */
                sign: 'signed' | 'debit-credit' | 'flag'
                /** @description camt.053 and MT940: a word of the remittance text that is the transaction id where it is found, before any reference: `#` is a digit, `*` any letters and digits, as in `INV-####` */
                textPattern?: string
                /**
                 * @default
                 * @enum {unknown}
                 */
                thousands: '' | ',' | '.' | ' ' | "'"
              } & (unknown &
                unknown &
                unknown &
                (
                  | unknown
                  | {
                      columns: unknown
                    }
                ))
              updatedAt: string
              version: number
            }
          }
        }
      }
    }
    trace?: never
  }
  '/api/v1/reconciliation-profiles/{id}/versions': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** The versions of a profile's rules, newest first, also of a deleted profile */
    get: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                createdAt: string
                createdBy: string
                rules: {
                  /**
                   * @description camt.053 and MT940: whether a file whose balances do not tie out is loaded and says so, the default, or refused
                   * @enum {unknown}
                   */
                  balances?: 'report' | 'require'
                  /** @description camt.053: which reference is the transaction id, the first that is there; default `EndToEndId`, `TxId`, `InstrId`, `AcctSvcrRef`, `NtryRef` */
                  camtReferences?: (
                    | 'EndToEndId'
                    | 'TxId'
                    | 'InstrId'
                    | 'UETR'
                    | 'AcctSvcrRef'
                    | 'PmtInfId'
                    | 'MsgId'
                    | 'CdtrRef'
                    | 'ChqNb'
                    | 'ClrSysRef'
                    | 'NtryRef'
                  )[]
                  columns: {
                    amount?: string | number
                    credit?: string | number
                    currency?: string | number
                    date: string | number
                    debit?: string | number
                    externalTransactionId: string | number
                    flag?: string | number
                  }
                  creditFlags?: string[]
                  /** @description of every row, if no column has it */
                  currency?: string
                  /**
                   * @description of `yyyy`, `yy`, `MM`, `M`, `dd`, `d`, `HH`, `mm`, `ss` and separators
                   * @default yyyy-MM-dd
                   */
                  dateFormat: string
                  debitFlags?: string[]
                  /**
                   * @default .
                   * @enum {unknown}
                   */
                  decimal: '.' | ','
                  /**
                   * @default ,
                   * @enum {unknown}
                   */
                  delimiter: ',' | ';' | '\t' | '|'
                  /**
                   * @description `latin1` is read as windows-1252, which has all of it
                   * @default utf-8
                   * @enum {unknown}
                   */
                  encoding: 'utf-8' | 'windows-1252' | 'latin1'
                  /**
                   * @description default: detected from the file; all other rules are for `csv`
                   * @enum {unknown}
                   */
                  format?: 'csv' | 'camt.053' | 'mt940'
                  /**
                   * @description line with the names of the columns; null: none
                   * @default 1
                   */
                  headerLine: number | null
                  /** @description MT940: `customer` and `bank` of field 61, the others of field 86; default `EREF`, `customer`, `KREF`, `bank` */
                  mt940References?: ('EREF' | 'KREF' | 'MREF' | 'customer' | 'bank')[]
                  /**
                   * @description where the sign is: in `amount`; in which of the columns `debit` and `credit` the amount is; in `flag`
                   * @default signed
                   * @enum {unknown}
                   */
                  sign: 'signed' | 'debit-credit' | 'flag'
                  /** @description camt.053 and MT940: a word of the remittance text that is the transaction id where it is found, before any reference: `#` is a digit, `*` any letters and digits, as in `INV-####` */
                  textPattern?: string
                  /**
                   * @default
                   * @enum {unknown}
                   */
                  thousands: '' | ',' | '.' | ' ' | "'"
                } & (unknown &
                  unknown &
                  unknown &
                  (
                    | unknown
                    | {
                        columns: unknown
                      }
                  ))
                version: number
              }[]
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/reconciliation-profiles/preview': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Preview the beginning of a file by rules; stores nothing */
    post: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            /** @description the first bytes of the file in base64, up to 64 KiB */
            content: string
            /** Format: uuid */
            profile?: string
            rules?: {
              /**
               * @description camt.053 and MT940: whether a file whose balances do not tie out is loaded and says so, the default, or refused
               * @enum {unknown}
               */
              balances?: 'report' | 'require'
              /** @description camt.053: which reference is the transaction id, the first that is there; default `EndToEndId`, `TxId`, `InstrId`, `AcctSvcrRef`, `NtryRef` */
              camtReferences?: (
                | 'EndToEndId'
                | 'TxId'
                | 'InstrId'
                | 'UETR'
                | 'AcctSvcrRef'
                | 'PmtInfId'
                | 'MsgId'
                | 'CdtrRef'
                | 'ChqNb'
                | 'ClrSysRef'
                | 'NtryRef'
              )[]
              columns: {
                amount?: string | number
                credit?: string | number
                currency?: string | number
                date: string | number
                debit?: string | number
                externalTransactionId: string | number
                flag?: string | number
              }
              creditFlags?: string[]
              /** @description of every row, if no column has it */
              currency?: string
              /**
               * @description of `yyyy`, `yy`, `MM`, `M`, `dd`, `d`, `HH`, `mm`, `ss` and separators
               * @default yyyy-MM-dd
               */
              dateFormat: string
              debitFlags?: string[]
              /**
               * @default .
               * @enum {unknown}
               */
              decimal: '.' | ','
              /**
               * @default ,
               * @enum {unknown}
               */
              delimiter: ',' | ';' | '\t' | '|'
              /**
               * @description `latin1` is read as windows-1252, which has all of it
               * @default utf-8
               * @enum {unknown}
               */
              encoding: 'utf-8' | 'windows-1252' | 'latin1'
              /**
               * @description default: detected from the file; all other rules are for `csv`
               * @enum {unknown}
               */
              format?: 'csv' | 'camt.053' | 'mt940'
              /**
               * @description line with the names of the columns; null: none
               * @default 1
               */
              headerLine: number | null
              /** @description MT940: `customer` and `bank` of field 61, the others of field 86; default `EREF`, `customer`, `KREF`, `bank` */
              mt940References?: ('EREF' | 'KREF' | 'MREF' | 'customer' | 'bank')[]
              /**
               * @description where the sign is: in `amount`; in which of the columns `debit` and `credit` the amount is; in `flag`
               * @default signed
               * @enum {unknown}
               */
              sign: 'signed' | 'debit-credit' | 'flag'
              /** @description camt.053 and MT940: a word of the remittance text that is the transaction id where it is found, before any reference: `#` is a digit, `*` any letters and digits, as in `INV-####` */
              textPattern?: string
              /**
               * @default
               * @enum {unknown}
               */
              thousands: '' | ',' | '.' | ' ' | "'"
            } & (unknown &
              unknown &
              unknown &
              (
                | unknown
                | {
                    columns: unknown
                  }
              ))
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description of the file as a whole */
              errors: {
                field: string
                reason: string
              }[]
              /** @enum {unknown} */
              format: 'csv' | 'camt.053' | 'mt940'
              header: string[] | null
              /** @description the first 20, without the header */
              rows: {
                errors: {
                  field: string
                  reason: string
                }[]
                line: number
                record: {
                  /** @description in minor units */
                  amount: number
                  currency: string
                  date: string
                  externalTransactionId: string
                } | null
                /** @description as they stand in the file */
                values: string[]
              }[]
              /** @description balances of a complete camt.053 or MT940 file */
              statements: {
                account: string | null
                /** @description sum of the entries, in minor units */
                booked: string
                closing: string | null
                currency: string
                /** @description the closing balance less the opening one and the entries, in minor units */
                difference: string | null
                entries: number
                firstLine: number | null
                /** @description its first day */
                from: string | null
                lastLine: number | null
                /** @description numbers between the statement of the account that was loaded before it and this one: a warning */
                missing: {
                  first: number
                  last: number
                } | null
                /** @description number in the file, from 1 */
                number: number
                opening: string | null
                /** @description why not, in words */
                reason: string | null
                /** @description its number in the account */
                sequence: number | null
                /** @description as the bank calls it */
                statementId: string
                /** @description null if the file lacks a balance */
                tiesOut: boolean | null
                /** @description its last day */
                to: string | null
              }[]
              /** @description whether the file continues */
              truncated: boolean
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/reconciliations': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Files and the progress of their reconciliation, newest first */
    get: {
      parameters: {
        query?: {
          /** @description `nextCursor` of the page before */
          cursor?: string
          limit?: number
          /** @description a field of the items, `-` before it for the highest first */
          sort?: '-createdAt' | 'createdAt'
          status?: 'loaded' | 'running' | 'completed' | 'discarded'
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                /** @description by statement and currency; null where the format has none */
                balances: {
                  differing: number
                  tied: number
                  unknown: number
                } | null
                createdAt: string
                discarded: {
                  at: string
                  by: string
                  reason: string
                } | null
                duplicates: number
                filename: string
                /** @enum {unknown} */
                format: 'csv' | 'camt.053' | 'mt940'
                /** Format: uuid */
                id: string
                matched: number
                /** @description percent, two decimals */
                matchRate: number
                /** @description entries that are not booked, and no records */
                pending: number
                profileId: string | null
                profileVersion: number | null
                ranAt: string | null
                /** @description number of runs */
                runNo: number
                /** @enum {unknown} */
                status: 'loaded' | 'running' | 'completed' | 'discarded'
                sums: {
                  [key: string]: {
                    amount: string
                    records: number
                  }
                }
                total: number
                unmatched: number
                uploadedBy: string
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    /**
     * Upload a bank file; all of it is stored or nothing
     * @description The body is the file, or a form with one (`multipart/form-data`). Its content shows what it is: camt.053 (ISO 20022), MT940 (SWIFT), or CSV with the columns `external_transaction_id`, `amount` in major units, `currency` and `date`, in any order, unless a profile says otherwise. Several camt.053 files may come in one ZIP, and are one run. A workbook (XLSX) is 415: save it as CSV.
     */
    post: {
      parameters: {
        query?: {
          /** @description default the form's name, else `upload.csv` */
          filename?: string
          profile?: string
          /** @description a new id; `/api/v1/stream` reports the progress of the upload under it */
          uploadId?: string
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        201: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description by statement and currency; null where the format has none */
              balances: {
                differing: number
                tied: number
                unknown: number
              } | null
              bytes: number
              /** @description records that say the same as an earlier one */
              duplicates: number
              filename: string
              /** @enum {unknown} */
              format: 'csv' | 'camt.053' | 'mt940'
              /** @description warning: statements with missing predecessors */
              gaps: {
                account: string | null
                /** @description sum of the entries, in minor units */
                booked: string
                closing: string | null
                currency: string
                /** @description the closing balance less the opening one and the entries, in minor units */
                difference: string | null
                entries: number
                firstLine: number | null
                /** @description its first day */
                from: string | null
                lastLine: number | null
                /** @description numbers between the statement of the account that was loaded before it and this one: a warning */
                missing: {
                  first: number
                  last: number
                } | null
                /** @description number in the file, from 1 */
                number: number
                opening: string | null
                /** @description why not, in words */
                reason: string | null
                /** @description its number in the account */
                sequence: number | null
                /** @description as the bank calls it */
                statementId: string
                /** @description null if the file lacks a balance */
                tiesOut: boolean | null
                /** @description its last day */
                to: string | null
              }[]
              /** Format: uuid */
              id: string
              /** @description entries that are not booked, and no records */
              pending: number
              profile: {
                /** Format: uuid */
                id: string
                version: number
              } | null
              sha256: string
              sums: {
                /** @description minor units; text, since it may be very large */
                amount: string
                currency: string
                records: number
              }[]
              total: number
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/reconciliations/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** A file, its counts and its last run by reason */
    get: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description by statement and currency; null where the format has none */
              balances: {
                differing: number
                tied: number
                unknown: number
              } | null
              createdAt: string
              discarded: {
                at: string
                by: string
                reason: string
              } | null
              duplicates: number
              filename: string
              /** @enum {unknown} */
              format: 'csv' | 'camt.053' | 'mt940'
              /** Format: uuid */
              id: string
              matched: number
              /** @description percent, two decimals */
              matchRate: number
              /** @description entries that are not booked, and no records */
              pending: number
              profileId: string | null
              profileVersion: number | null
              ranAt: string | null
              reasons: {
                [key: string]: number
              }
              /** @description number of runs */
              runNo: number
              /** @enum {unknown} */
              status: 'loaded' | 'running' | 'completed' | 'discarded'
              sums: {
                [key: string]: {
                  amount: string
                  records: number
                }
              }
              total: number
              unmatched: number
              uploadedBy: string
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/reconciliations/{id}/decisions': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Decide about many records of a file at once
     * @description Match, ignore, reopen, take matches back and accept suggestions in one transaction. What is refused changes nothing, and `refused` says why; all others are stored together.
     */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            decisions: (
              | {
                  /** @enum {unknown} */
                  do: 'ignore' | 'reopen' | 'unmatch'
                  /** @description its line number */
                  recordId: string
                  /** @description of the record that was looked at; another is 409 */
                  version?: number
                }
              | (
                  | {
                      adjustment?: {
                        /** @description the record's amount less that of payments and refunds, in minor units; a fee is negative */
                        amount: number
                        /** @enum {unknown} */
                        kind: 'fee' | 'rounding' | 'other'
                      }
                      /** @description disputes that the record is, or that a payout was paid less */
                      disputeIds?: string[]
                      /** @enum {string} */
                      do: 'match'
                      /** @description the record is a part of one payment that has other records too */
                      part?: boolean
                      /** @description payments that the record settles; the first is its own */
                      paymentIds?: string[]
                      /** @description its line number */
                      recordId: string
                      /** @description refunds that the record is, or that a payout was paid less */
                      refundIds?: string[]
                      /** @description of the record that was looked at; another is 409 */
                      version?: number
                    }
                  | unknown
                  | unknown
                  | unknown
                  | unknown
                )
              | {
                  /** @enum {string} */
                  do: 'accept'
                  /** Format: uuid */
                  suggestionId: string
                }
            )[]
            /** @description why, in your words */
            reason: string
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              applied: {
                adjustment: {
                  amount: number
                  kind: string
                } | null
                /** @description in minor units */
                amount: number
                bookedOn: string
                currency: string
                decidedBy: string | null
                disputeIds: string[]
                duplicateOf: number | null
                externalTransactionId: string
                /** @description deducted amount: by the match, else as in the file */
                fee: number | null
                /** @description amount and fee */
                gross: number
                id: string
                lineNumber: number
                /** @description the matched kind; for a refund or dispute, matchedPaymentId is its payment */
                matchedAs: ('payment' | 'part' | 'refund' | 'dispute') | null
                matchedPaymentId: string | null
                occurrenceNo: number
                paymentIds: string[]
                reason:
                  | (
                      | 'exact_match'
                      | 'payment_not_succeeded'
                      | 'no_match'
                      | 'duplicate'
                      | 'amount_mismatch'
                      | 'currency_mismatch'
                      | 'manual_match'
                      | 'manual_unmatch'
                      | 'ignored'
                      | 'reopened'
                      | 'discarded'
                    )
                  | null
                refundIds: string[]
                /** @enum {unknown} */
                status: 'unmatched' | 'matched'
                version: number
              }[]
              refused: {
                code: string
                detail: string
                /** @description index of the decision, from 0 */
                index: number
                recordId?: string
                suggestionId?: string
              }[]
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/reconciliations/{id}/details': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** The reason of each record's state, in the order of the file */
    get: {
      parameters: {
        query?: {
          /** @description `nextCursor` of the page before */
          cursor?: string
          limit?: number
          reason?:
            | 'exact_match'
            | 'payment_not_succeeded'
            | 'no_match'
            | 'duplicate'
            | 'amount_mismatch'
            | 'currency_mismatch'
            | 'manual_match'
            | 'manual_unmatch'
            | 'ignored'
            | 'reopened'
            | 'discarded'
        }
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                actor: string | null
                createdAt: string
                note: string | null
                paymentId: string | null
                /** @enum {unknown} */
                reason:
                  | 'exact_match'
                  | 'payment_not_succeeded'
                  | 'no_match'
                  | 'duplicate'
                  | 'amount_mismatch'
                  | 'currency_mismatch'
                  | 'manual_match'
                  | 'manual_unmatch'
                  | 'ignored'
                  | 'reopened'
                  | 'discarded'
                recordId: string
                runNo: number
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/reconciliations/{id}/discard': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Withdraw a file: its matches are undone, and it can be uploaded again
     * @description For a file that was read by the wrong profile, or that should never have come. Its records stay to be looked at; the payments and refunds that they had are free again. A run that is discarded cannot be run or decided on: 409 `RECONCILIATION_DISCARDED`, also if it is discarded twice.
     */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            /** @description why, in your words */
            reason: string
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description by statement and currency; null where the format has none */
              balances: {
                differing: number
                tied: number
                unknown: number
              } | null
              createdAt: string
              discarded: {
                at: string
                by: string
                reason: string
              } | null
              duplicates: number
              filename: string
              /** @enum {unknown} */
              format: 'csv' | 'camt.053' | 'mt940'
              /** Format: uuid */
              id: string
              matched: number
              /** @description percent, two decimals */
              matchRate: number
              /** @description entries that are not booked, and no records */
              pending: number
              profileId: string | null
              profileVersion: number | null
              ranAt: string | null
              /** @description number of runs */
              runNo: number
              /** @enum {unknown} */
              status: 'loaded' | 'running' | 'completed' | 'discarded'
              sums: {
                [key: string]: {
                  amount: string
                  records: number
                }
              }
              total: number
              unmatched: number
              uploadedBy: string
            }
          }
        }
        /** @description Default Response */
        202: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description in minor units */
              amount: number | null
              currency: string | null
              decidedAt: string | null
              decidedBy: string | null
              decisionReason: string | null
              /** Format: date-time */
              expiresAt: string
              /** Format: uuid */
              id: string
              /** @enum {unknown} */
              kind: 'refund' | 'capture' | 'void' | 'decision' | 'discard' | 'limits'
              /** Format: date-time */
              proposedAt: string
              proposedBy: string
              reason: string | null
              request: {
                [key: string]: unknown
              }
              result: {
                [key: string]: unknown
              } | null
              /** @enum {unknown} */
              status: 'pending' | 'approved' | 'rejected' | 'withdrawn' | 'expired'
              /** @description the payment, `run/line` of a record, the run, or `limits` */
              subject: string
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/reconciliations/{id}/disputes': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Disputes that took money and that no record has, newest first */
    get: {
      parameters: {
        query?: {
          currency?: string
          /** @description `nextCursor` of the page before */
          cursor?: string
          limit?: number
        }
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                /** @description in minor units */
                amount: number
                createdAt: string
                currency: string
                externalPaymentId: string | null
                gatewayRef: string | null
                /** Format: uuid */
                id: string
                /** Format: uuid */
                paymentId: string
                status: string
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/reconciliations/{id}/exceptions': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Records of a file that need a decision */
    get: {
      parameters: {
        query?: {
          /** @description `nextCursor` of the page before */
          cursor?: string
          limit?: number
          reason?:
            | 'exact_match'
            | 'payment_not_succeeded'
            | 'no_match'
            | 'duplicate'
            | 'amount_mismatch'
            | 'currency_mismatch'
            | 'manual_match'
            | 'manual_unmatch'
            | 'ignored'
            | 'reopened'
            | 'discarded'
          tab?: 'all' | 'needs_attention' | 'awaiting' | 'suggested' | 'stale'
        }
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              counts: {
                ages: {
                  [key: string]: number
                }
                reasons: {
                  [key: string]: number
                }
                tabs: {
                  [key: string]: number
                }
              }
              items: {
                age: string
                differences: {
                  field: string
                  payment: string | number | null
                  record: string | number | null
                }[]
                filename: string
                note: string | null
                openedAt: string
                payment: {
                  /** @description in minor units */
                  amount: number
                  createdAt: string
                  currency: string
                  externalPaymentId: string | null
                  /** Format: uuid */
                  id: string
                  status: string
                } | null
                /** @enum {unknown} */
                reason:
                  | 'exact_match'
                  | 'payment_not_succeeded'
                  | 'no_match'
                  | 'duplicate'
                  | 'amount_mismatch'
                  | 'currency_mismatch'
                  | 'manual_match'
                  | 'manual_unmatch'
                  | 'ignored'
                  | 'reopened'
                  | 'discarded'
                /** Format: uuid */
                reconciliationId: string
                record: {
                  adjustment: {
                    amount: number
                    kind: string
                  } | null
                  /** @description in minor units */
                  amount: number
                  bookedOn: string
                  currency: string
                  decidedBy: string | null
                  disputeIds: string[]
                  duplicateOf: number | null
                  externalTransactionId: string
                  /** @description deducted amount: by the match, else as in the file */
                  fee: number | null
                  /** @description amount and fee */
                  gross: number
                  id: string
                  lineNumber: number
                  /** @description the matched kind; for a refund or dispute, matchedPaymentId is its payment */
                  matchedAs: ('payment' | 'part' | 'refund' | 'dispute') | null
                  matchedPaymentId: string | null
                  occurrenceNo: number
                  paymentIds: string[]
                  reason:
                    | (
                        | 'exact_match'
                        | 'payment_not_succeeded'
                        | 'no_match'
                        | 'duplicate'
                        | 'amount_mismatch'
                        | 'currency_mismatch'
                        | 'manual_match'
                        | 'manual_unmatch'
                        | 'ignored'
                        | 'reopened'
                        | 'discarded'
                      )
                    | null
                  refundIds: string[]
                  /** @enum {unknown} */
                  status: 'unmatched' | 'matched'
                  version: number
                }
                suggestions: number
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/reconciliations/{id}/export.csv': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Records and missing payments as formula-safe CSV */
    get: {
      parameters: {
        query?: {
          kind?: 'matched' | 'unmatched' | 'missing' | 'all'
        }
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Done */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            '*/*': unknown
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/reconciliations/{id}/missing': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Payments without records, or with records for a part, newest first */
    get: {
      parameters: {
        query?: {
          /** @description `nextCursor` of the page before */
          cursor?: string
          /** @description payments of this day and later (UTC) */
          from?: string
          limit?: number
          /** @description T+n: business days (Monday to Friday) that the bank has for a payment; one is missing only once they are over */
          settlesWithin?: number
          status?: 'pending' | 'succeeded' | 'failed' | 'refunded'
          /** @description payments of this day and earlier */
          to?: string
        }
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                /** @description in minor units */
                amount: number
                createdAt: string
                currency: string
                externalPaymentId: string | null
                /** Format: uuid */
                id: string
                status: string
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/reconciliations/{id}/records': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Records in the order of the file */
    get: {
      parameters: {
        query?: {
          /** @description `nextCursor` of the page before */
          cursor?: string
          limit?: number
          reason?:
            | 'exact_match'
            | 'payment_not_succeeded'
            | 'no_match'
            | 'duplicate'
            | 'amount_mismatch'
            | 'currency_mismatch'
            | 'manual_match'
            | 'manual_unmatch'
            | 'ignored'
            | 'reopened'
            | 'discarded'
          status?: 'unmatched' | 'matched'
        }
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                adjustment: {
                  amount: number
                  kind: string
                } | null
                /** @description in minor units */
                amount: number
                bookedOn: string
                currency: string
                decidedBy: string | null
                disputeIds: string[]
                duplicateOf: number | null
                externalTransactionId: string
                /** @description deducted amount: by the match, else as in the file */
                fee: number | null
                /** @description amount and fee */
                gross: number
                id: string
                lineNumber: number
                /** @description the matched kind; for a refund or dispute, matchedPaymentId is its payment */
                matchedAs: ('payment' | 'part' | 'refund' | 'dispute') | null
                matchedPaymentId: string | null
                occurrenceNo: number
                paymentIds: string[]
                reason:
                  | (
                      | 'exact_match'
                      | 'payment_not_succeeded'
                      | 'no_match'
                      | 'duplicate'
                      | 'amount_mismatch'
                      | 'currency_mismatch'
                      | 'manual_match'
                      | 'manual_unmatch'
                      | 'ignored'
                      | 'reopened'
                      | 'discarded'
                    )
                  | null
                refundIds: string[]
                /** @enum {unknown} */
                status: 'unmatched' | 'matched'
                version: number
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/reconciliations/{id}/records/{recordId}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** A record with its payments, suggestions and history */
    get: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
          /** @description its line number */
          recordId: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              adjustment: {
                amount: number
                kind: string
              } | null
              /** @description in minor units */
              amount: number
              bookedOn: string
              currency: string
              decidedBy: string | null
              disputeIds: string[]
              duplicateOf: number | null
              externalTransactionId: string
              /** @description deducted amount: by the match, else as in the file */
              fee: number | null
              /** @description amount and fee */
              gross: number
              /** @description newest first */
              history: {
                actor: string | null
                createdAt: string
                note: string | null
                paymentId: string | null
                /** @enum {unknown} */
                reason:
                  | 'exact_match'
                  | 'payment_not_succeeded'
                  | 'no_match'
                  | 'duplicate'
                  | 'amount_mismatch'
                  | 'currency_mismatch'
                  | 'manual_match'
                  | 'manual_unmatch'
                  | 'ignored'
                  | 'reopened'
                  | 'discarded'
                recordId: string
                runNo: number
              }[]
              id: string
              lineNumber: number
              /** @description the matched kind; for a refund or dispute, matchedPaymentId is its payment */
              matchedAs: ('payment' | 'part' | 'refund' | 'dispute') | null
              matchedPaymentId: string | null
              occurrenceNo: number
              paymentIds: string[]
              payments: {
                /** @description in minor units */
                amount: number
                createdAt: string
                currency: string
                externalPaymentId: string | null
                /** Format: uuid */
                id: string
                status: string
              }[]
              reason:
                | (
                    | 'exact_match'
                    | 'payment_not_succeeded'
                    | 'no_match'
                    | 'duplicate'
                    | 'amount_mismatch'
                    | 'currency_mismatch'
                    | 'manual_match'
                    | 'manual_unmatch'
                    | 'ignored'
                    | 'reopened'
                    | 'discarded'
                  )
                | null
              refundIds: string[]
              /** @enum {unknown} */
              status: 'unmatched' | 'matched'
              suggestions: {
                /** @description the adjustment that the difference becomes when accepted; a fee is negative */
                adjustment: {
                  amount: number
                  /** @enum {unknown} */
                  kind: 'fee' | 'rounding' | 'other'
                } | null
                ambiguous: boolean
                createdAt: string
                /** @description the record's amount less that of the payments */
                difference: number
                /** Format: uuid */
                id: string
                kind: string
                paymentIds: string[]
                recordId: string
                /** @description the records of a payment in parts, else the one */
                recordIds: string[]
                refundIds: string[]
                status: string
              }[]
              version: number
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/reconciliations/{id}/records/{recordId}/ignore': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Leave a record out of the exceptions */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
          /** @description its line number */
          recordId: string
        }
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            /** @description why, in your words */
            reason: string
            /** @description of the record that was looked at; another is 409 */
            version?: number
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              adjustment: {
                amount: number
                kind: string
              } | null
              /** @description in minor units */
              amount: number
              bookedOn: string
              currency: string
              decidedBy: string | null
              disputeIds: string[]
              duplicateOf: number | null
              externalTransactionId: string
              /** @description deducted amount: by the match, else as in the file */
              fee: number | null
              /** @description amount and fee */
              gross: number
              id: string
              lineNumber: number
              /** @description the matched kind; for a refund or dispute, matchedPaymentId is its payment */
              matchedAs: ('payment' | 'part' | 'refund' | 'dispute') | null
              matchedPaymentId: string | null
              occurrenceNo: number
              paymentIds: string[]
              reason:
                | (
                    | 'exact_match'
                    | 'payment_not_succeeded'
                    | 'no_match'
                    | 'duplicate'
                    | 'amount_mismatch'
                    | 'currency_mismatch'
                    | 'manual_match'
                    | 'manual_unmatch'
                    | 'ignored'
                    | 'reopened'
                    | 'discarded'
                  )
                | null
              refundIds: string[]
              /** @enum {unknown} */
              status: 'unmatched' | 'matched'
              version: number
            }
          }
        }
        /** @description Default Response */
        202: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description in minor units */
              amount: number | null
              currency: string | null
              decidedAt: string | null
              decidedBy: string | null
              decisionReason: string | null
              /** Format: date-time */
              expiresAt: string
              /** Format: uuid */
              id: string
              /** @enum {unknown} */
              kind: 'refund' | 'capture' | 'void' | 'decision' | 'discard' | 'limits'
              /** Format: date-time */
              proposedAt: string
              proposedBy: string
              reason: string | null
              request: {
                [key: string]: unknown
              }
              result: {
                [key: string]: unknown
              } | null
              /** @enum {unknown} */
              status: 'pending' | 'approved' | 'rejected' | 'withdrawn' | 'expired'
              /** @description the payment, `run/line` of a record, the run, or `limits` */
              subject: string
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/reconciliations/{id}/records/{recordId}/match': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Match a record by hand: with a payment, several, a part of one, refunds or disputes */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
          /** @description its line number */
          recordId: string
        }
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json':
            | {
                adjustment?: {
                  /** @description the record's amount less that of payments and refunds, in minor units; a fee is negative */
                  amount: number
                  /** @enum {unknown} */
                  kind: 'fee' | 'rounding' | 'other'
                }
                /** @description disputes that the record is, or that a payout was paid less */
                disputeIds?: string[]
                /** @description the record is a part of one payment that has other records too */
                part?: boolean
                /** Format: uuid */
                paymentId?: string
                /** @description payments that the record settles; the first is its own */
                paymentIds?: string[]
                /** @description why, in your words */
                reason: string
                /** @description refunds that the record is, or that a payout was paid less */
                refundIds?: string[]
                /** @description of the record that was looked at; another is 409 */
                version?: number
              }
            | unknown
            | unknown
            | unknown
            | unknown
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              adjustment: {
                amount: number
                kind: string
              } | null
              /** @description in minor units */
              amount: number
              bookedOn: string
              currency: string
              decidedBy: string | null
              disputeIds: string[]
              duplicateOf: number | null
              externalTransactionId: string
              /** @description deducted amount: by the match, else as in the file */
              fee: number | null
              /** @description amount and fee */
              gross: number
              id: string
              lineNumber: number
              /** @description the matched kind; for a refund or dispute, matchedPaymentId is its payment */
              matchedAs: ('payment' | 'part' | 'refund' | 'dispute') | null
              matchedPaymentId: string | null
              occurrenceNo: number
              paymentIds: string[]
              reason:
                | (
                    | 'exact_match'
                    | 'payment_not_succeeded'
                    | 'no_match'
                    | 'duplicate'
                    | 'amount_mismatch'
                    | 'currency_mismatch'
                    | 'manual_match'
                    | 'manual_unmatch'
                    | 'ignored'
                    | 'reopened'
                    | 'discarded'
                  )
                | null
              refundIds: string[]
              /** @enum {unknown} */
              status: 'unmatched' | 'matched'
              version: number
            }
          }
        }
        /** @description Default Response */
        202: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description in minor units */
              amount: number | null
              currency: string | null
              decidedAt: string | null
              decidedBy: string | null
              decisionReason: string | null
              /** Format: date-time */
              expiresAt: string
              /** Format: uuid */
              id: string
              /** @enum {unknown} */
              kind: 'refund' | 'capture' | 'void' | 'decision' | 'discard' | 'limits'
              /** Format: date-time */
              proposedAt: string
              proposedBy: string
              reason: string | null
              request: {
                [key: string]: unknown
              }
              result: {
                [key: string]: unknown
              } | null
              /** @enum {unknown} */
              status: 'pending' | 'approved' | 'rejected' | 'withdrawn' | 'expired'
              /** @description the payment, `run/line` of a record, the run, or `limits` */
              subject: string
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/reconciliations/{id}/records/{recordId}/reopen': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Let runs look at a record again */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
          /** @description its line number */
          recordId: string
        }
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            /** @description why, in your words */
            reason: string
            /** @description of the record that was looked at; another is 409 */
            version?: number
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              adjustment: {
                amount: number
                kind: string
              } | null
              /** @description in minor units */
              amount: number
              bookedOn: string
              currency: string
              decidedBy: string | null
              disputeIds: string[]
              duplicateOf: number | null
              externalTransactionId: string
              /** @description deducted amount: by the match, else as in the file */
              fee: number | null
              /** @description amount and fee */
              gross: number
              id: string
              lineNumber: number
              /** @description the matched kind; for a refund or dispute, matchedPaymentId is its payment */
              matchedAs: ('payment' | 'part' | 'refund' | 'dispute') | null
              matchedPaymentId: string | null
              occurrenceNo: number
              paymentIds: string[]
              reason:
                | (
                    | 'exact_match'
                    | 'payment_not_succeeded'
                    | 'no_match'
                    | 'duplicate'
                    | 'amount_mismatch'
                    | 'currency_mismatch'
                    | 'manual_match'
                    | 'manual_unmatch'
                    | 'ignored'
                    | 'reopened'
                    | 'discarded'
                  )
                | null
              refundIds: string[]
              /** @enum {unknown} */
              status: 'unmatched' | 'matched'
              version: number
            }
          }
        }
        /** @description Default Response */
        202: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description in minor units */
              amount: number | null
              currency: string | null
              decidedAt: string | null
              decidedBy: string | null
              decisionReason: string | null
              /** Format: date-time */
              expiresAt: string
              /** Format: uuid */
              id: string
              /** @enum {unknown} */
              kind: 'refund' | 'capture' | 'void' | 'decision' | 'discard' | 'limits'
              /** Format: date-time */
              proposedAt: string
              proposedBy: string
              reason: string | null
              request: {
                [key: string]: unknown
              }
              result: {
                [key: string]: unknown
              } | null
              /** @enum {unknown} */
              status: 'pending' | 'approved' | 'rejected' | 'withdrawn' | 'expired'
              /** @description the payment, `run/line` of a record, the run, or `limits` */
              subject: string
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/reconciliations/{id}/records/{recordId}/unmatch': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Take a match back; no run matches the record again */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
          /** @description its line number */
          recordId: string
        }
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            /** @description why, in your words */
            reason: string
            /** @description of the record that was looked at; another is 409 */
            version?: number
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              adjustment: {
                amount: number
                kind: string
              } | null
              /** @description in minor units */
              amount: number
              bookedOn: string
              currency: string
              decidedBy: string | null
              disputeIds: string[]
              duplicateOf: number | null
              externalTransactionId: string
              /** @description deducted amount: by the match, else as in the file */
              fee: number | null
              /** @description amount and fee */
              gross: number
              id: string
              lineNumber: number
              /** @description the matched kind; for a refund or dispute, matchedPaymentId is its payment */
              matchedAs: ('payment' | 'part' | 'refund' | 'dispute') | null
              matchedPaymentId: string | null
              occurrenceNo: number
              paymentIds: string[]
              reason:
                | (
                    | 'exact_match'
                    | 'payment_not_succeeded'
                    | 'no_match'
                    | 'duplicate'
                    | 'amount_mismatch'
                    | 'currency_mismatch'
                    | 'manual_match'
                    | 'manual_unmatch'
                    | 'ignored'
                    | 'reopened'
                    | 'discarded'
                  )
                | null
              refundIds: string[]
              /** @enum {unknown} */
              status: 'unmatched' | 'matched'
              version: number
            }
          }
        }
        /** @description Default Response */
        202: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description in minor units */
              amount: number | null
              currency: string | null
              decidedAt: string | null
              decidedBy: string | null
              decisionReason: string | null
              /** Format: date-time */
              expiresAt: string
              /** Format: uuid */
              id: string
              /** @enum {unknown} */
              kind: 'refund' | 'capture' | 'void' | 'decision' | 'discard' | 'limits'
              /** Format: date-time */
              proposedAt: string
              proposedBy: string
              reason: string | null
              request: {
                [key: string]: unknown
              }
              result: {
                [key: string]: unknown
              } | null
              /** @enum {unknown} */
              status: 'pending' | 'approved' | 'rejected' | 'withdrawn' | 'expired'
              /** @description the payment, `run/line` of a record, the run, or `limits` */
              subject: string
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/reconciliations/{id}/refunds': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Refunds that no record has, newest first: what money going out may be */
    get: {
      parameters: {
        query?: {
          currency?: string
          /** @description `nextCursor` of the page before */
          cursor?: string
          limit?: number
        }
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                /** @description in minor units */
                amount: number
                createdAt: string
                currency: string
                externalPaymentId: string | null
                gatewayRef: string | null
                /** Format: uuid */
                id: string
                /** Format: uuid */
                paymentId: string
                status: string
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/reconciliations/{id}/run': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Match the records of a file with the payments of its organisation */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: {
        content: {
          'application/json': {
            dryRun?: boolean
          } | null
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              matched: number
              /** @description percent, two decimals */
              matchRate: number
              reasons: {
                [key: string]: number
              }
              total: number
              unmatched: number
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/reconciliations/{id}/statements': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * The statements of a file, and whether their balances tie out
     * @description Of a camt.053 or MT940 file, by statement and currency: opening balance + entries = closing balance, or the difference. CSV has none.
     */
    get: {
      parameters: {
        query?: {
          /** @description `nextCursor` of the page before */
          cursor?: string
          limit?: number
        }
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                account: string | null
                /** @description sum of the entries, in minor units */
                booked: string
                closing: string | null
                currency: string
                /** @description the closing balance less the opening one and the entries, in minor units */
                difference: string | null
                entries: number
                firstLine: number | null
                /** @description its first day */
                from: string | null
                lastLine: number | null
                /** @description numbers between the statement of the account that was loaded before it and this one: a warning */
                missing: {
                  first: number
                  last: number
                } | null
                /** @description number in the file, from 1 */
                number: number
                opening: string | null
                /** @description why not, in words */
                reason: string | null
                /** @description its number in the account */
                sequence: number | null
                /** @description as the bank calls it */
                statementId: string
                /** @description null if the file lacks a balance */
                tiesOut: boolean | null
                /** @description its last day */
                to: string | null
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/reconciliations/{id}/suggest': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Suggest matches, without matching */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            passes: (
              | {
                  /** @description minor units */
                  absolute?: number
                  /** @description hundredths of a percent */
                  bps?: number
                  /** @enum {string} */
                  kind: 'amount_tolerance'
                }
              | {
                  after: number
                  before: number
                  /** @enum {string} */
                  kind: 'date_window'
                }
              | {
                  by: {
                    metadata: string
                  }
                  fee?: {
                    /** @description minor units */
                    absolute?: number
                    /** @description hundredths of a percent */
                    bps?: number
                  }
                  /** @enum {string} */
                  kind: 'many_to_one'
                }
              | {
                  fee?: {
                    /** @description minor units */
                    absolute?: number
                    /** @description hundredths of a percent */
                    bps?: number
                  }
                  /** @enum {string} */
                  kind: 'one_to_many'
                }
            )[]
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              passes: {
                kind: string
                suggestions: number
              }[]
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/reconciliations/{id}/suggestions': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Suggestions, in the order of the file */
    get: {
      parameters: {
        query?: {
          /** @description `nextCursor` of the page before */
          cursor?: string
          limit?: number
          status?: 'open' | 'accepted' | 'dismissed'
        }
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                /** @description the adjustment that the difference becomes when accepted; a fee is negative */
                adjustment: {
                  amount: number
                  /** @enum {unknown} */
                  kind: 'fee' | 'rounding' | 'other'
                } | null
                ambiguous: boolean
                createdAt: string
                /** @description the record's amount less that of the payments */
                difference: number
                /** Format: uuid */
                id: string
                kind: string
                paymentIds: string[]
                recordId: string
                /** @description the records of a payment in parts, else the one */
                recordIds: string[]
                refundIds: string[]
                status: string
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/reconciliations/{id}/suggestions/{suggestionId}/accept': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Match a record as suggested */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
          suggestionId: string
        }
        cookie?: never
      }
      requestBody?: {
        content: {
          'application/json': {
            /** @enum {unknown} */
            adjustmentKind?: 'fee' | 'rounding' | 'other'
            reason?: string
            version?: number
          } | null
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              adjustment: {
                amount: number
                kind: string
              } | null
              /** @description in minor units */
              amount: number
              bookedOn: string
              currency: string
              decidedBy: string | null
              disputeIds: string[]
              duplicateOf: number | null
              externalTransactionId: string
              /** @description deducted amount: by the match, else as in the file */
              fee: number | null
              /** @description amount and fee */
              gross: number
              id: string
              lineNumber: number
              /** @description the matched kind; for a refund or dispute, matchedPaymentId is its payment */
              matchedAs: ('payment' | 'part' | 'refund' | 'dispute') | null
              matchedPaymentId: string | null
              occurrenceNo: number
              paymentIds: string[]
              reason:
                | (
                    | 'exact_match'
                    | 'payment_not_succeeded'
                    | 'no_match'
                    | 'duplicate'
                    | 'amount_mismatch'
                    | 'currency_mismatch'
                    | 'manual_match'
                    | 'manual_unmatch'
                    | 'ignored'
                    | 'reopened'
                    | 'discarded'
                  )
                | null
              refundIds: string[]
              /** @enum {unknown} */
              status: 'unmatched' | 'matched'
              version: number
            }
          }
        }
        /** @description Default Response */
        202: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description in minor units */
              amount: number | null
              currency: string | null
              decidedAt: string | null
              decidedBy: string | null
              decisionReason: string | null
              /** Format: date-time */
              expiresAt: string
              /** Format: uuid */
              id: string
              /** @enum {unknown} */
              kind: 'refund' | 'capture' | 'void' | 'decision' | 'discard' | 'limits'
              /** Format: date-time */
              proposedAt: string
              proposedBy: string
              reason: string | null
              request: {
                [key: string]: unknown
              }
              result: {
                [key: string]: unknown
              } | null
              /** @enum {unknown} */
              status: 'pending' | 'approved' | 'rejected' | 'withdrawn' | 'expired'
              /** @description the payment, `run/line` of a record, the run, or `limits` */
              subject: string
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/reconciliations/{id}/suggestions/{suggestionId}/dismiss': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Reject a suggestion; it is not made again */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
          suggestionId: string
        }
        cookie?: never
      }
      requestBody?: {
        content: {
          'application/json': {
            reason?: string
          } | null
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description the adjustment that the difference becomes when accepted; a fee is negative */
              adjustment: {
                amount: number
                /** @enum {unknown} */
                kind: 'fee' | 'rounding' | 'other'
              } | null
              ambiguous: boolean
              createdAt: string
              /** @description the record's amount less that of the payments */
              difference: number
              /** Format: uuid */
              id: string
              kind: string
              paymentIds: string[]
              recordId: string
              /** @description the records of a payment in parts, else the one */
              recordIds: string[]
              refundIds: string[]
              status: string
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/reconciliations/{id}/totals': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** The totals of a file: opening + matched + unmatched = file total, by currency */
    get: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              currencies: {
                /** @description excess of matched records over their payments */
                adjustments: string
                currency: string
                fileTotal: string
                /** @description matched by the last run or since */
                matched: string
                /** @description matched before the last run */
                opening: string
                records: {
                  [key: string]: number
                }
                unmatched: string
              }[]
              runNo: number
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/reconciliations/exceptions': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Records that need a decision, of the newest file first */
    get: {
      parameters: {
        query?: {
          /** @description `nextCursor` of the page before */
          cursor?: string
          limit?: number
          reason?:
            | 'exact_match'
            | 'payment_not_succeeded'
            | 'no_match'
            | 'duplicate'
            | 'amount_mismatch'
            | 'currency_mismatch'
            | 'manual_match'
            | 'manual_unmatch'
            | 'ignored'
            | 'reopened'
            | 'discarded'
          tab?: 'all' | 'needs_attention' | 'awaiting' | 'suggested' | 'stale'
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              counts: {
                ages: {
                  [key: string]: number
                }
                reasons: {
                  [key: string]: number
                }
                tabs: {
                  [key: string]: number
                }
              }
              items: {
                age: string
                differences: {
                  field: string
                  payment: string | number | null
                  record: string | number | null
                }[]
                filename: string
                note: string | null
                openedAt: string
                payment: {
                  /** @description in minor units */
                  amount: number
                  createdAt: string
                  currency: string
                  externalPaymentId: string | null
                  /** Format: uuid */
                  id: string
                  status: string
                } | null
                /** @enum {unknown} */
                reason:
                  | 'exact_match'
                  | 'payment_not_succeeded'
                  | 'no_match'
                  | 'duplicate'
                  | 'amount_mismatch'
                  | 'currency_mismatch'
                  | 'manual_match'
                  | 'manual_unmatch'
                  | 'ignored'
                  | 'reopened'
                  | 'discarded'
                /** Format: uuid */
                reconciliationId: string
                record: {
                  adjustment: {
                    amount: number
                    kind: string
                  } | null
                  /** @description in minor units */
                  amount: number
                  bookedOn: string
                  currency: string
                  decidedBy: string | null
                  disputeIds: string[]
                  duplicateOf: number | null
                  externalTransactionId: string
                  /** @description deducted amount: by the match, else as in the file */
                  fee: number | null
                  /** @description amount and fee */
                  gross: number
                  id: string
                  lineNumber: number
                  /** @description the matched kind; for a refund or dispute, matchedPaymentId is its payment */
                  matchedAs: ('payment' | 'part' | 'refund' | 'dispute') | null
                  matchedPaymentId: string | null
                  occurrenceNo: number
                  paymentIds: string[]
                  reason:
                    | (
                        | 'exact_match'
                        | 'payment_not_succeeded'
                        | 'no_match'
                        | 'duplicate'
                        | 'amount_mismatch'
                        | 'currency_mismatch'
                        | 'manual_match'
                        | 'manual_unmatch'
                        | 'ignored'
                        | 'reopened'
                        | 'discarded'
                      )
                    | null
                  refundIds: string[]
                  /** @enum {unknown} */
                  status: 'unmatched' | 'matched'
                  version: number
                }
                suggestions: number
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/reconciliations/overview': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Figures of all files: rate, money matched and at risk, exceptions, the last 14 days */
    get: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              ages: {
                [key: string]: number
              }
              days: {
                day: string
                matched: number
                /** @description by currency, in minor units */
                moneyAtRisk: {
                  [key: string]: string
                }
                /** @description by currency, in minor units */
                moneyMatched: {
                  [key: string]: string
                }
                /** @description percent, two decimals */
                reconciliationRate: number
                total: number
              }[]
              matched: number
              /** @description by currency, in minor units */
              moneyAtRisk: {
                [key: string]: string
              }
              /** @description by currency, in minor units */
              moneyMatched: {
                [key: string]: string
              }
              openExceptions: number
              /** @description percent, two decimals */
              reconciliationRate: number
              /** @description open for more than 7 days */
              staleExceptions: number
              total: number
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/refunds': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Refunds of all payments, newest first */
    get: {
      parameters: {
        query?: {
          /** @description `nextCursor` of the page before */
          cursor?: string
          limit?: number
          /** @description a field of the items, `-` before it for the highest first */
          sort?: '-createdAt' | 'createdAt'
          /** @description pending until the gateway’s webhook reports the outcome */
          status?: 'pending' | 'succeeded' | 'failed'
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                amount: number
                /** @description when the gateway's webhook confirmed the refund */
                confirmedAt: string | null
                createdAt: string
                currency: string
                errorCode: string | null
                errorMessage: string | null
                gatewayRef: string | null
                /** Format: uuid */
                id: string
                /** Format: uuid */
                paymentId: string
                /**
                 * @description pending until the gateway’s webhook reports the outcome
                 * @enum {unknown}
                 */
                status: 'pending' | 'succeeded' | 'failed'
                updatedAt: string
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/retention': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Retention of each class of data, and its progress */
    get: {
      parameters: {
        query?: {
          /** @description the caller's organisation, or the defaults of all (platform only) */
          scope?: 'organisation' | 'platform'
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                class: string
                /** @description the default */
                default: string
                /** @description rows past their time that are not held, up to 10,000; null if not counted in time */
                due: number | null
                /** @description a number of days, hours or minutes as 90d, or forever */
                keep: string
                /** @enum {unknown} */
                keepSetBy: 'organisation' | 'platform' | 'default'
                lastError: string | null
                lastRemoved: number | null
                lastRunAt: string | null
                /** @description the least that may be set */
                least: string | null
                /** @description data that remains after the removal */
                leaves: string
                nextRunAt: string | null
                oldestAt: string | null
                /** @description whether it can say who a person is */
                personal: boolean
                /** @description rows that went so far, of all organisations */
                removed: number
                /** @description whether it can be set in this scope */
                settable: boolean
                title: string
              }[]
            }
          }
        }
      }
    }
    /**
     * Set the retention of a class of data; null restores the default
     * @description A time below the least of the class, or of a class whose time cannot be set, is 400. The next run applies it.
     */
    put: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            class: string
            keep: string | null
            /**
             * @description the caller's organisation, or the defaults of all (platform only)
             * @default organisation
             */
            scope?: 'organisation' | 'platform'
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              class: string
              /** @description the default */
              default: string
              /** @description rows past their time that are not held, up to 10,000; null if not counted in time */
              due: number | null
              /** @description a number of days, hours or minutes as 90d, or forever */
              keep: string
              /** @enum {unknown} */
              keepSetBy: 'organisation' | 'platform' | 'default'
              lastError: string | null
              lastRemoved: number | null
              lastRunAt: string | null
              /** @description the least that may be set */
              least: string | null
              /** @description data that remains after the removal */
              leaves: string
              nextRunAt: string | null
              oldestAt: string | null
              /** @description whether it can say who a person is */
              personal: boolean
              /** @description rows that went so far, of all organisations */
              removed: number
              /** @description whether it can be set in this scope */
              settable: boolean
              title: string
            }
          }
        }
      }
    }
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/sagas': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Sagas of the organisation, newest first */
    get: {
      parameters: {
        query?: {
          /** @description `nextCursor` of the page before */
          cursor?: string
          limit?: number
          name?: string
          /** @description a field of the items, `-` before it for the highest first */
          sort?: '-createdAt' | 'createdAt'
          status?:
            'RUNNING' | 'COMPENSATING' | 'COMPLETED' | 'COMPENSATED' | 'FAILED' | 'TERMINATED'
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                cancelledAt: string | null
                createdAt: string
                deadlineAt: string | null
                /** @description direction of its steps, of a failed saga at the failure; null once it has ended */
                direction: ('forward' | 'back') | null
                dueAt: string | null
                error: {
                  code: string
                  message: string
                } | null
                finishedAt: string | null
                held: {
                  code: string
                  message: string
                } | null
                id: string
                name: string
                /** @enum {unknown} */
                status:
                  'RUNNING' | 'COMPENSATING' | 'COMPLETED' | 'COMPENSATED' | 'FAILED' | 'TERMINATED'
                step: string | null
                updatedAt: string
                version: number
                waitsFor: string[]
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/sagas/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** A saga with its steps, events, replies, compensations and operators' actions */
    get: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description Actions of operators, oldest first */
              actions: {
                /** @enum {unknown} */
                action: 'cancel' | 'resume' | 'skip' | 'terminate'
                at: string
                by: string
                reason: string | null
                step: string | null
                /** @enum {unknown} */
                was:
                  'RUNNING' | 'COMPENSATING' | 'COMPLETED' | 'COMPENSATED' | 'FAILED' | 'TERMINATED'
              }[]
              /** @description Actions that an operator can take now */
              allows: ('cancel' | 'resume' | 'skip' | 'terminate')[]
              /** @description The current steps: running, waiting or being undone; several in parallel branches */
              atHand: string[]
              cancelledAt: string | null
              compensations: {
                attempts: number
                /** @enum {unknown} */
                status: 'UNDOING' | 'COMPENSATED'
                step: string
                undoneAt: string | null
              }[]
              createdAt: string
              deadlineAt: string | null
              /** @description direction of its steps, of a failed saga at the failure; null once it has ended */
              direction: ('forward' | 'back') | null
              dueAt: string | null
              error: {
                code: string
                message: string
              } | null
              events: {
                createdAt: string
                id: string
                payload: unknown
                sentAt: string | null
                status: string
                step: string
                topic: string
                type: string
              }[]
              finishedAt: string | null
              held: {
                code: string
                message: string
              } | null
              id: string
              input: unknown
              name: string
              replies: {
                id: string
                /** @enum {unknown} */
                kind: 'reply' | 'signal'
                payload: unknown
                receivedAt: string
                status: string
                type: string
              }[]
              /** @enum {unknown} */
              status:
                'RUNNING' | 'COMPENSATING' | 'COMPLETED' | 'COMPENSATED' | 'FAILED' | 'TERMINATED'
              step: string | null
              steps: {
                attempts: number
                /** @description Null for a step without parallel steps */
                branch: {
                  fork: number
                  name: string
                } | null
                /** @description Until when it waits, by the business clock */
                dueAt: string | null
                endedAt: string | null
                error: {
                  code: string
                  message: string
                } | null
                name: string
                output: unknown
                skipped: ('action' | 'compensation') | null
                startedAt: string | null
                status: string
                timedOut: boolean
                undoneAt: string | null
                undoStartedAt: string | null
                updatedAt: string | null
              }[]
              updatedAt: string
              version: number
              waitsFor: string[]
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/sagas/{id}/cancel': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Compensate a running saga, or one that failed while running */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: {
        content: {
          'application/json': {
            /** @description stays with the saga, and in the audit */
            reason?: string
          } | null
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        202: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description Actions of operators, oldest first */
              actions: {
                /** @enum {unknown} */
                action: 'cancel' | 'resume' | 'skip' | 'terminate'
                at: string
                by: string
                reason: string | null
                step: string | null
                /** @enum {unknown} */
                was:
                  'RUNNING' | 'COMPENSATING' | 'COMPLETED' | 'COMPENSATED' | 'FAILED' | 'TERMINATED'
              }[]
              /** @description Actions that an operator can take now */
              allows: ('cancel' | 'resume' | 'skip' | 'terminate')[]
              /** @description The current steps: running, waiting or being undone; several in parallel branches */
              atHand: string[]
              cancelledAt: string | null
              compensations: {
                attempts: number
                /** @enum {unknown} */
                status: 'UNDOING' | 'COMPENSATED'
                step: string
                undoneAt: string | null
              }[]
              createdAt: string
              deadlineAt: string | null
              /** @description direction of its steps, of a failed saga at the failure; null once it has ended */
              direction: ('forward' | 'back') | null
              dueAt: string | null
              error: {
                code: string
                message: string
              } | null
              events: {
                createdAt: string
                id: string
                payload: unknown
                sentAt: string | null
                status: string
                step: string
                topic: string
                type: string
              }[]
              finishedAt: string | null
              held: {
                code: string
                message: string
              } | null
              id: string
              input: unknown
              name: string
              replies: {
                id: string
                /** @enum {unknown} */
                kind: 'reply' | 'signal'
                payload: unknown
                receivedAt: string
                status: string
                type: string
              }[]
              /** @enum {unknown} */
              status:
                'RUNNING' | 'COMPENSATING' | 'COMPLETED' | 'COMPENSATED' | 'FAILED' | 'TERMINATED'
              step: string | null
              steps: {
                attempts: number
                /** @description Null for a step without parallel steps */
                branch: {
                  fork: number
                  name: string
                } | null
                /** @description Until when it waits, by the business clock */
                dueAt: string | null
                endedAt: string | null
                error: {
                  code: string
                  message: string
                } | null
                name: string
                output: unknown
                skipped: ('action' | 'compensation') | null
                startedAt: string | null
                status: string
                timedOut: boolean
                undoneAt: string | null
                undoStartedAt: string | null
                updatedAt: string | null
              }[]
              updatedAt: string
              version: number
              waitsFor: string[]
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/sagas/{id}/events': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Send a signal to a saga; an early signal is kept */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            /** @description of the signal */
            name: string
            /** @description payload for the waiting step */
            payload?: unknown
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        202: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /**
               * @description woke: the saga waited for it; kept: it waits for the saga; duplicate: it was sent before under this Idempotency-Key
               * @enum {unknown}
               */
              outcome: 'woke' | 'kept' | 'duplicate'
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/sagas/{id}/resume': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Resume a failed saga where it stopped */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: {
        content: {
          'application/json': {
            /** @description stays with the saga, and in the audit */
            reason?: string
          } | null
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        202: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description Actions of operators, oldest first */
              actions: {
                /** @enum {unknown} */
                action: 'cancel' | 'resume' | 'skip' | 'terminate'
                at: string
                by: string
                reason: string | null
                step: string | null
                /** @enum {unknown} */
                was:
                  'RUNNING' | 'COMPENSATING' | 'COMPLETED' | 'COMPENSATED' | 'FAILED' | 'TERMINATED'
              }[]
              /** @description Actions that an operator can take now */
              allows: ('cancel' | 'resume' | 'skip' | 'terminate')[]
              /** @description The current steps: running, waiting or being undone; several in parallel branches */
              atHand: string[]
              cancelledAt: string | null
              compensations: {
                attempts: number
                /** @enum {unknown} */
                status: 'UNDOING' | 'COMPENSATED'
                step: string
                undoneAt: string | null
              }[]
              createdAt: string
              deadlineAt: string | null
              /** @description direction of its steps, of a failed saga at the failure; null once it has ended */
              direction: ('forward' | 'back') | null
              dueAt: string | null
              error: {
                code: string
                message: string
              } | null
              events: {
                createdAt: string
                id: string
                payload: unknown
                sentAt: string | null
                status: string
                step: string
                topic: string
                type: string
              }[]
              finishedAt: string | null
              held: {
                code: string
                message: string
              } | null
              id: string
              input: unknown
              name: string
              replies: {
                id: string
                /** @enum {unknown} */
                kind: 'reply' | 'signal'
                payload: unknown
                receivedAt: string
                status: string
                type: string
              }[]
              /** @enum {unknown} */
              status:
                'RUNNING' | 'COMPENSATING' | 'COMPLETED' | 'COMPENSATED' | 'FAILED' | 'TERMINATED'
              step: string | null
              steps: {
                attempts: number
                /** @description Null for a step without parallel steps */
                branch: {
                  fork: number
                  name: string
                } | null
                /** @description Until when it waits, by the business clock */
                dueAt: string | null
                endedAt: string | null
                error: {
                  code: string
                  message: string
                } | null
                name: string
                output: unknown
                skipped: ('action' | 'compensation') | null
                startedAt: string | null
                status: string
                timedOut: boolean
                undoneAt: string | null
                undoStartedAt: string | null
                updatedAt: string | null
              }[]
              updatedAt: string
              version: number
              waitsFor: string[]
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/sagas/{id}/skip': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Skip the current step, or its compensation */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            /** @description data of the skipped step, for later steps */
            data?: {
              [key: string]: unknown
            }
            /** @description stays with the saga, and in the audit */
            reason: string
            /** @description the step it is at */
            step: string
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        202: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description Actions of operators, oldest first */
              actions: {
                /** @enum {unknown} */
                action: 'cancel' | 'resume' | 'skip' | 'terminate'
                at: string
                by: string
                reason: string | null
                step: string | null
                /** @enum {unknown} */
                was:
                  'RUNNING' | 'COMPENSATING' | 'COMPLETED' | 'COMPENSATED' | 'FAILED' | 'TERMINATED'
              }[]
              /** @description Actions that an operator can take now */
              allows: ('cancel' | 'resume' | 'skip' | 'terminate')[]
              /** @description The current steps: running, waiting or being undone; several in parallel branches */
              atHand: string[]
              cancelledAt: string | null
              compensations: {
                attempts: number
                /** @enum {unknown} */
                status: 'UNDOING' | 'COMPENSATED'
                step: string
                undoneAt: string | null
              }[]
              createdAt: string
              deadlineAt: string | null
              /** @description direction of its steps, of a failed saga at the failure; null once it has ended */
              direction: ('forward' | 'back') | null
              dueAt: string | null
              error: {
                code: string
                message: string
              } | null
              events: {
                createdAt: string
                id: string
                payload: unknown
                sentAt: string | null
                status: string
                step: string
                topic: string
                type: string
              }[]
              finishedAt: string | null
              held: {
                code: string
                message: string
              } | null
              id: string
              input: unknown
              name: string
              replies: {
                id: string
                /** @enum {unknown} */
                kind: 'reply' | 'signal'
                payload: unknown
                receivedAt: string
                status: string
                type: string
              }[]
              /** @enum {unknown} */
              status:
                'RUNNING' | 'COMPENSATING' | 'COMPLETED' | 'COMPENSATED' | 'FAILED' | 'TERMINATED'
              step: string | null
              steps: {
                attempts: number
                /** @description Null for a step without parallel steps */
                branch: {
                  fork: number
                  name: string
                } | null
                /** @description Until when it waits, by the business clock */
                dueAt: string | null
                endedAt: string | null
                error: {
                  code: string
                  message: string
                } | null
                name: string
                output: unknown
                skipped: ('action' | 'compensation') | null
                startedAt: string | null
                status: string
                timedOut: boolean
                undoneAt: string | null
                undoStartedAt: string | null
                updatedAt: string | null
              }[]
              updatedAt: string
              version: number
              waitsFor: string[]
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/sagas/{id}/terminate': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** End a saga in its current state: nothing more is done or undone */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            /** @description stays with the saga, and in the audit */
            reason: string
            /** @description the step it was seen at; if it has moved on since, nothing is done */
            step?: string
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        202: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description Actions of operators, oldest first */
              actions: {
                /** @enum {unknown} */
                action: 'cancel' | 'resume' | 'skip' | 'terminate'
                at: string
                by: string
                reason: string | null
                step: string | null
                /** @enum {unknown} */
                was:
                  'RUNNING' | 'COMPENSATING' | 'COMPLETED' | 'COMPENSATED' | 'FAILED' | 'TERMINATED'
              }[]
              /** @description Actions that an operator can take now */
              allows: ('cancel' | 'resume' | 'skip' | 'terminate')[]
              /** @description The current steps: running, waiting or being undone; several in parallel branches */
              atHand: string[]
              cancelledAt: string | null
              compensations: {
                attempts: number
                /** @enum {unknown} */
                status: 'UNDOING' | 'COMPENSATED'
                step: string
                undoneAt: string | null
              }[]
              createdAt: string
              deadlineAt: string | null
              /** @description direction of its steps, of a failed saga at the failure; null once it has ended */
              direction: ('forward' | 'back') | null
              dueAt: string | null
              error: {
                code: string
                message: string
              } | null
              events: {
                createdAt: string
                id: string
                payload: unknown
                sentAt: string | null
                status: string
                step: string
                topic: string
                type: string
              }[]
              finishedAt: string | null
              held: {
                code: string
                message: string
              } | null
              id: string
              input: unknown
              name: string
              replies: {
                id: string
                /** @enum {unknown} */
                kind: 'reply' | 'signal'
                payload: unknown
                receivedAt: string
                status: string
                type: string
              }[]
              /** @enum {unknown} */
              status:
                'RUNNING' | 'COMPENSATING' | 'COMPLETED' | 'COMPENSATED' | 'FAILED' | 'TERMINATED'
              step: string | null
              steps: {
                attempts: number
                /** @description Null for a step without parallel steps */
                branch: {
                  fork: number
                  name: string
                } | null
                /** @description Until when it waits, by the business clock */
                dueAt: string | null
                endedAt: string | null
                error: {
                  code: string
                  message: string
                } | null
                name: string
                output: unknown
                skipped: ('action' | 'compensation') | null
                startedAt: string | null
                status: string
                timedOut: boolean
                undoneAt: string | null
                undoStartedAt: string | null
                updatedAt: string | null
              }[]
              updatedAt: string
              version: number
              waitsFor: string[]
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/search': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Search by id, external id, recipient or amount
     * @description Things of the caller's organisation, and what belongs to them: an order's id finds its saga and payment, a payment's its webhooks and statement lines. Messages of the outboxes are found by their id, by operators.
     */
    get: {
      parameters: {
        query: {
          q: string
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                detail: string
                id: string
                /** @description order, saga, payment, webhook, statement line, message, file … */
                kind: string
                title: string
                /** @description the page of the dashboard that shows it */
                to: string
              }[]
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/session': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Exchange a token for a session cookie, for browsers
     * @description The cookie is HttpOnly and SameSite=Strict. The session ends with the token, after seven days, or when it is ended. Programs send their token with each request instead.
     */
    post: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            token: string
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        201: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** Format: date-time */
              expiresAt: string
              org: string
              /** @enum {unknown} */
              role: 'viewer' | 'clerk' | 'member' | 'approver' | 'admin' | 'operator' | 'platform'
              sub: string
            }
          }
        }
      }
    }
    /** End the session of this browser */
    delete: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        204: {
          headers: {
            [name: string]: unknown
          }
          content?: never
        }
      }
    }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/sessions': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post?: never
    /**
     * End all sessions of the caller, in every browser
     * @description Tokens are not affected: they are good until they expire.
     */
    delete: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              ended: number
            }
          }
        }
      }
    }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/sim': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** The simulators and the business clock; in development only */
    get: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              clock: {
                aheadSeconds: number
                movable: boolean
                /** Format: date-time */
                now: string
              }
              simulators: {
                about: string
                name: string
                /** @description path of its control API */
                path: string
              }[]
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/sim/clock': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Move the business clock forward; the audit says who did it. In development only */
    post: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            /** @description e.g. '6h'; at most 400 days */
            by: string
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** Format: date-time */
              now: string
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/stream': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Changes of messages as server-sent events
     * @description Events `transition` and `operation` with the fields of the audit, and `position` where there is nothing new. The last event of a batch has an id; sent back as Last-Event-ID it goes on from there, and nothing is missed. Events `announcement` say `{topic, id, tenant, data, truncated}` of things that systems announce, the latest of each, at most every 250 ms; they have no id and are not repeated: the topic `*` means that some may be missing. Members see what belongs to their own organisation, as do its operators; those of the platform see everything.
     */
    get: {
      parameters: {
        query?: {
          outbox?: string
          /** @description the topics of announcements, with commas between; all without it */
          topics?: string
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Done */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            '*/*': unknown
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/webhook-deliveries': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Deliveries, pending and ended, newest first */
    get: {
      parameters: {
        query?: {
          /** @description `nextCursor` of the page before */
          cursor?: string
          endpointId?: string
          eventId?: string
          eventType?: string
          limit?: number
          since?: string
          /** @description a field of the items, `-` before it for the highest first */
          sort?: '-createdAt' | 'createdAt'
          status?: 'pending' | 'failed' | 'delivered' | 'abandoned' | 'skipped_disabled'
          until?: string
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                attempts: number
                /** Format: date-time */
                createdAt: string
                deliveredAt: string | null
                endpointId: string
                error: string | null
                errorCode: string | null
                eventId: string
                eventType: string
                id: string
                nextAttemptAt: string | null
                /** @description the body of the webhook */
                payload: unknown
                status: 'pending' | 'failed' | 'delivered' | 'abandoned' | 'skipped_disabled'
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/webhook-deliveries/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** A delivery */
    get: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              attempts: number
              /** Format: date-time */
              createdAt: string
              deliveredAt: string | null
              endpointId: string
              error: string | null
              errorCode: string | null
              eventId: string
              eventType: string
              id: string
              nextAttemptAt: string | null
              /** @description the body of the webhook */
              payload: unknown
              status: 'pending' | 'failed' | 'delivered' | 'abandoned' | 'skipped_disabled'
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/webhook-deliveries/{id}/attempts': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Every request for a delivery and its answer, newest first */
    get: {
      parameters: {
        query?: {
          /** @description `nextCursor` of the page before */
          cursor?: string
          limit?: number
          status?: string
        }
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                attempt: number
                durationMs: number | null
                error: string | null
                errorClass: string | null
                id: string
                request: {
                  body: unknown
                  headers: {
                    [key: string]: string
                  }
                  method: string
                  url: string | null
                }
                response: {
                  /** @description the first 16 KiB */
                  body: string
                  /** @description utf8, or base64 for binary content */
                  encoding: string
                  headers: {
                    [key: string]: string
                  }
                  status: number
                  truncated: boolean
                } | null
                /** Format: date-time */
                startedAt: string
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/webhook-deliveries/{id}/audit': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** The history of a delivery, newest first */
    get: {
      parameters: {
        query?: {
          /** @description `nextCursor` of the page before */
          cursor?: string
          limit?: number
          status?: string
        }
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                action: string
                actor: string
                /** Format: date-time */
                createdAt: string
                details: unknown
                id: string
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/webhook-deliveries/{id}/replay': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Send a finished delivery again */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        202: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              count: number
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/webhook-deliveries/runs': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Runs of the retry job, newest first */
    get: {
      parameters: {
        query?: {
          /** @description `nextCursor` of the page before */
          cursor?: string
          limit?: number
          status?: string
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                failed: number
                id: string
                processed: number
                /** Format: date-time */
                ranAt: string
                success: number
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/webhook-endpoints': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** The endpoints, newest first */
    get: {
      parameters: {
        query?: {
          /** @description `nextCursor` of the page before */
          cursor?: string
          limit?: number
          status?: string
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                /** Format: date-time */
                createdAt: string
                disabledAt: string | null
                disabledReason: string | null
                eventTypes: string[]
                /** @description since when every attempt failed; after days of it the endpoint is disabled */
                failingSince: string | null
                filter: {
                  conditions: (
                    | {
                        equals: string | number | boolean | null
                        /** @description JSON Pointer into the body, as /data/amount */
                        path: string
                      }
                    | {
                        notEquals: string | number | boolean | null
                        /** @description JSON Pointer into the body, as /data/amount */
                        path: string
                      }
                    | {
                        in: (string | number | boolean | null)[]
                        /** @description JSON Pointer into the body, as /data/amount */
                        path: string
                      }
                    | {
                        exists: boolean
                        /** @description JSON Pointer into the body, as /data/amount */
                        path: string
                      }
                    | {
                        lessThan: number
                        /** @description JSON Pointer into the body, as /data/amount */
                        path: string
                      }
                    | {
                        atMost: number
                        /** @description JSON Pointer into the body, as /data/amount */
                        path: string
                      }
                    | {
                        moreThan: number
                        /** @description JSON Pointer into the body, as /data/amount */
                        path: string
                      }
                    | {
                        atLeast: number
                        /** @description JSON Pointer into the body, as /data/amount */
                        path: string
                      }
                  )[]
                  /** @description whether every condition must hold, or one of them */
                  match: 'all' | 'any'
                } | null
                id: string
                ordered: boolean
                /** @description `whpk_…` of the key pairs that sign now, newest first; none for `hmac` */
                publicKeys: string[]
                ratePerSecond: number | null
                retry: {
                  attempts: number
                  /** @description null for custom waits */
                  preset: ('quick' | 'hours' | 'days') | null
                  waits: number[]
                }
                /** @description hmac: a secret that both sides have. ed25519: a key pair; you get the public key, and its signatures are `v1a` */
                signing: 'hmac' | 'ed25519'
                status: 'enabled' | 'disabled'
                timeoutMs: number | null
                /** Format: date-time */
                updatedAt: string
                url: string
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    /** Add an endpoint for events; only this answer has its secret */
    post: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            eventTypes: string[]
            /** @description selects events of its types by content; null: all */
            filter?: {
              conditions: (
                | {
                    equals: string | number | boolean | null
                    /** @description JSON Pointer into the body, as /data/amount */
                    path: string
                  }
                | {
                    notEquals: string | number | boolean | null
                    /** @description JSON Pointer into the body, as /data/amount */
                    path: string
                  }
                | {
                    in: (string | number | boolean | null)[]
                    /** @description JSON Pointer into the body, as /data/amount */
                    path: string
                  }
                | {
                    exists: boolean
                    /** @description JSON Pointer into the body, as /data/amount */
                    path: string
                  }
                | {
                    lessThan: number
                    /** @description JSON Pointer into the body, as /data/amount */
                    path: string
                  }
                | {
                    atMost: number
                    /** @description JSON Pointer into the body, as /data/amount */
                    path: string
                  }
                | {
                    moreThan: number
                    /** @description JSON Pointer into the body, as /data/amount */
                    path: string
                  }
                | {
                    atLeast: number
                    /** @description JSON Pointer into the body, as /data/amount */
                    path: string
                  }
              )[]
              /** @description whether every condition must hold, or one of them */
              match: 'all' | 'any'
            } | null
            /** @description true: events of one key arrive one after the other */
            ordered?: boolean
            ratePerSecond?: number | null
            retry?:
              | {
                  /** @description attempts in all; default one more than waits */
                  attempts?: number
                  preset: 'quick' | 'hours' | 'days'
                }
              | {
                  /** @description attempts in all; default one more than waits */
                  attempts?: number
                  /** @description seconds after each failed attempt; the last of them is repeated */
                  waits: number[]
                }
              | null
            /** @description hmac: a secret that both sides have. ed25519: a key pair; you get the public key, and its signatures are `v1a` */
            signing?: 'hmac' | 'ed25519'
            timeoutMs?: number | null
            url: string
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        201: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** Format: date-time */
              createdAt: string
              disabledAt: string | null
              disabledReason: string | null
              eventTypes: string[]
              /** @description since when every attempt failed; after days of it the endpoint is disabled */
              failingSince: string | null
              filter: {
                conditions: (
                  | {
                      equals: string | number | boolean | null
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                  | {
                      notEquals: string | number | boolean | null
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                  | {
                      in: (string | number | boolean | null)[]
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                  | {
                      exists: boolean
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                  | {
                      lessThan: number
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                  | {
                      atMost: number
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                  | {
                      moreThan: number
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                  | {
                      atLeast: number
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                )[]
                /** @description whether every condition must hold, or one of them */
                match: 'all' | 'any'
              } | null
              id: string
              ordered: boolean
              /** @description `whpk_…` of the key pairs that sign now, newest first; none for `hmac` */
              publicKeys: string[]
              ratePerSecond: number | null
              retry: {
                attempts: number
                /** @description null for custom waits */
                preset: ('quick' | 'hours' | 'days') | null
                waits: number[]
              }
              /** @description null for a key pair: its public key is in `publicKeys` */
              secret: string | null
              /** @description hmac: a secret that both sides have. ed25519: a key pair; you get the public key, and its signatures are `v1a` */
              signing: 'hmac' | 'ed25519'
              status: 'enabled' | 'disabled'
              timeoutMs: number | null
              /** Format: date-time */
              updatedAt: string
              url: string
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/webhook-endpoints/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** An endpoint */
    get: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** Format: date-time */
              createdAt: string
              disabledAt: string | null
              disabledReason: string | null
              eventTypes: string[]
              /** @description since when every attempt failed; after days of it the endpoint is disabled */
              failingSince: string | null
              filter: {
                conditions: (
                  | {
                      equals: string | number | boolean | null
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                  | {
                      notEquals: string | number | boolean | null
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                  | {
                      in: (string | number | boolean | null)[]
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                  | {
                      exists: boolean
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                  | {
                      lessThan: number
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                  | {
                      atMost: number
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                  | {
                      moreThan: number
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                  | {
                      atLeast: number
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                )[]
                /** @description whether every condition must hold, or one of them */
                match: 'all' | 'any'
              } | null
              id: string
              ordered: boolean
              /** @description `whpk_…` of the key pairs that sign now, newest first; none for `hmac` */
              publicKeys: string[]
              ratePerSecond: number | null
              retry: {
                attempts: number
                /** @description null for custom waits */
                preset: ('quick' | 'hours' | 'days') | null
                waits: number[]
              }
              /** @description hmac: a secret that both sides have. ed25519: a key pair; you get the public key, and its signatures are `v1a` */
              signing: 'hmac' | 'ed25519'
              status: 'enabled' | 'disabled'
              timeoutMs: number | null
              /** Format: date-time */
              updatedAt: string
              url: string
            }
          }
        }
      }
    }
    put?: never
    post?: never
    /** Remove an endpoint; its pending deliveries are skipped */
    delete: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        204: {
          headers: {
            [name: string]: unknown
          }
          content?: never
        }
      }
    }
    options?: never
    head?: never
    /** Change an endpoint */
    patch: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            eventTypes?: string[]
            /** @description selects events of its types by content; null: all */
            filter?: {
              conditions: (
                | {
                    equals: string | number | boolean | null
                    /** @description JSON Pointer into the body, as /data/amount */
                    path: string
                  }
                | {
                    notEquals: string | number | boolean | null
                    /** @description JSON Pointer into the body, as /data/amount */
                    path: string
                  }
                | {
                    in: (string | number | boolean | null)[]
                    /** @description JSON Pointer into the body, as /data/amount */
                    path: string
                  }
                | {
                    exists: boolean
                    /** @description JSON Pointer into the body, as /data/amount */
                    path: string
                  }
                | {
                    lessThan: number
                    /** @description JSON Pointer into the body, as /data/amount */
                    path: string
                  }
                | {
                    atMost: number
                    /** @description JSON Pointer into the body, as /data/amount */
                    path: string
                  }
                | {
                    moreThan: number
                    /** @description JSON Pointer into the body, as /data/amount */
                    path: string
                  }
                | {
                    atLeast: number
                    /** @description JSON Pointer into the body, as /data/amount */
                    path: string
                  }
              )[]
              /** @description whether every condition must hold, or one of them */
              match: 'all' | 'any'
            } | null
            /** @description true: events of one key arrive one after the other */
            ordered?: boolean
            ratePerSecond?: number | null
            retry?:
              | {
                  /** @description attempts in all; default one more than waits */
                  attempts?: number
                  preset: 'quick' | 'hours' | 'days'
                }
              | {
                  /** @description attempts in all; default one more than waits */
                  attempts?: number
                  /** @description seconds after each failed attempt; the last of them is repeated */
                  waits: number[]
                }
              | null
            timeoutMs?: number | null
            url?: string
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** Format: date-time */
              createdAt: string
              disabledAt: string | null
              disabledReason: string | null
              eventTypes: string[]
              /** @description since when every attempt failed; after days of it the endpoint is disabled */
              failingSince: string | null
              filter: {
                conditions: (
                  | {
                      equals: string | number | boolean | null
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                  | {
                      notEquals: string | number | boolean | null
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                  | {
                      in: (string | number | boolean | null)[]
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                  | {
                      exists: boolean
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                  | {
                      lessThan: number
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                  | {
                      atMost: number
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                  | {
                      moreThan: number
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                  | {
                      atLeast: number
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                )[]
                /** @description whether every condition must hold, or one of them */
                match: 'all' | 'any'
              } | null
              id: string
              ordered: boolean
              /** @description `whpk_…` of the key pairs that sign now, newest first; none for `hmac` */
              publicKeys: string[]
              ratePerSecond: number | null
              retry: {
                attempts: number
                /** @description null for custom waits */
                preset: ('quick' | 'hours' | 'days') | null
                waits: number[]
              }
              /** @description hmac: a secret that both sides have. ed25519: a key pair; you get the public key, and its signatures are `v1a` */
              signing: 'hmac' | 'ed25519'
              status: 'enabled' | 'disabled'
              timeoutMs: number | null
              /** Format: date-time */
              updatedAt: string
              url: string
            }
          }
        }
      }
    }
    trace?: never
  }
  '/api/v1/webhook-endpoints/{id}/disable': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Send nothing to an endpoint; what waits for it is skipped and can be replayed */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: {
        content: {
          'application/json': {
            reason?: string
          } | null
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** Format: date-time */
              createdAt: string
              disabledAt: string | null
              disabledReason: string | null
              eventTypes: string[]
              /** @description since when every attempt failed; after days of it the endpoint is disabled */
              failingSince: string | null
              filter: {
                conditions: (
                  | {
                      equals: string | number | boolean | null
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                  | {
                      notEquals: string | number | boolean | null
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                  | {
                      in: (string | number | boolean | null)[]
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                  | {
                      exists: boolean
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                  | {
                      lessThan: number
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                  | {
                      atMost: number
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                  | {
                      moreThan: number
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                  | {
                      atLeast: number
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                )[]
                /** @description whether every condition must hold, or one of them */
                match: 'all' | 'any'
              } | null
              id: string
              ordered: boolean
              /** @description `whpk_…` of the key pairs that sign now, newest first; none for `hmac` */
              publicKeys: string[]
              ratePerSecond: number | null
              retry: {
                attempts: number
                /** @description null for custom waits */
                preset: ('quick' | 'hours' | 'days') | null
                waits: number[]
              }
              /** @description hmac: a secret that both sides have. ed25519: a key pair; you get the public key, and its signatures are `v1a` */
              signing: 'hmac' | 'ed25519'
              status: 'enabled' | 'disabled'
              timeoutMs: number | null
              /** Format: date-time */
              updatedAt: string
              url: string
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/webhook-endpoints/{id}/enable': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Let events go to an endpoint again */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** Format: date-time */
              createdAt: string
              disabledAt: string | null
              disabledReason: string | null
              eventTypes: string[]
              /** @description since when every attempt failed; after days of it the endpoint is disabled */
              failingSince: string | null
              filter: {
                conditions: (
                  | {
                      equals: string | number | boolean | null
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                  | {
                      notEquals: string | number | boolean | null
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                  | {
                      in: (string | number | boolean | null)[]
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                  | {
                      exists: boolean
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                  | {
                      lessThan: number
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                  | {
                      atMost: number
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                  | {
                      moreThan: number
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                  | {
                      atLeast: number
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                )[]
                /** @description whether every condition must hold, or one of them */
                match: 'all' | 'any'
              } | null
              id: string
              ordered: boolean
              /** @description `whpk_…` of the key pairs that sign now, newest first; none for `hmac` */
              publicKeys: string[]
              ratePerSecond: number | null
              retry: {
                attempts: number
                /** @description null for custom waits */
                preset: ('quick' | 'hours' | 'days') | null
                waits: number[]
              }
              /** @description hmac: a secret that both sides have. ed25519: a key pair; you get the public key, and its signatures are `v1a` */
              signing: 'hmac' | 'ed25519'
              status: 'enabled' | 'disabled'
              timeoutMs: number | null
              /** Format: date-time */
              updatedAt: string
              url: string
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/webhook-endpoints/{id}/ping': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Send an event `webhook.ping` to an endpoint */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        202: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              deliveryId: string
              eventId: string
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/webhook-endpoints/{id}/recover': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * After an outage: send all undelivered webhooks of a period now
     * @description Like replay for what was abandoned or skipped; besides, what waits for another attempt is attempted at once. Nothing that arrived is sent again.
     */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            /** @description true: only count */
            dryRun?: boolean
            /** Format: date-time */
            since: string
            /** Format: date-time */
            until?: string
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              count: number
              dryRun: boolean
              /** @description there are more than one request takes: ask again */
              more: boolean
            }
          }
        }
        /** @description Default Response */
        202: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              count: number
              dryRun: boolean
              /** @description there are more than one request takes: ask again */
              more: boolean
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/webhook-endpoints/{id}/replay': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Resend deliveries that an endpoint missed: abandoned, or skipped while it was disabled
     * @description By when the events were written, up to 10,000 at once.
     */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            /** @description true: only count */
            dryRun?: boolean
            /** Format: date-time */
            since: string
            /** Format: date-time */
            until?: string
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              count: number
              dryRun: boolean
              /** @description there are more than one request takes: ask again */
              more: boolean
            }
          }
        }
        /** @description Default Response */
        202: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              count: number
              dryRun: boolean
              /** @description there are more than one request takes: ask again */
              more: boolean
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/webhook-endpoints/{id}/rotate-secret': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Rotate the secret or key pair of an endpoint; the old one also signs for 24 hours */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: {
        content: {
          'application/json': {
            /** @description hmac: a secret that both sides have. ed25519: a key pair; you get the public key, and its signatures are `v1a` */
            signing?: 'hmac' | 'ed25519'
          } | null
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** Format: date-time */
              createdAt: string
              disabledAt: string | null
              disabledReason: string | null
              eventTypes: string[]
              /** @description since when every attempt failed; after days of it the endpoint is disabled */
              failingSince: string | null
              filter: {
                conditions: (
                  | {
                      equals: string | number | boolean | null
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                  | {
                      notEquals: string | number | boolean | null
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                  | {
                      in: (string | number | boolean | null)[]
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                  | {
                      exists: boolean
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                  | {
                      lessThan: number
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                  | {
                      atMost: number
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                  | {
                      moreThan: number
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                  | {
                      atLeast: number
                      /** @description JSON Pointer into the body, as /data/amount */
                      path: string
                    }
                )[]
                /** @description whether every condition must hold, or one of them */
                match: 'all' | 'any'
              } | null
              id: string
              ordered: boolean
              /** @description `whpk_…` of the key pairs that sign now, newest first; none for `hmac` */
              publicKeys: string[]
              ratePerSecond: number | null
              retry: {
                attempts: number
                /** @description null for custom waits */
                preset: ('quick' | 'hours' | 'days') | null
                waits: number[]
              }
              /** @description null for a key pair: its public key is in `publicKeys` */
              secret: string | null
              /** @description hmac: a secret that both sides have. ed25519: a key pair; you get the public key, and its signatures are `v1a` */
              signing: 'hmac' | 'ed25519'
              status: 'enabled' | 'disabled'
              timeoutMs: number | null
              /** Format: date-time */
              updatedAt: string
              url: string
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/webhook-endpoints/charts': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Answers and failures of each endpoint over the last minutes */
    get: {
      parameters: {
        query?: {
          minutes?: number
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @description number of periods; the last one is incomplete */
              count: number
              /**
               * Format: date-time
               * @description when the first stretch began
               */
              from: string
              items: {
                answered: number[]
                endpointId: string
                unanswered: number[]
              }[]
              /** Format: date-time */
              now: string
              stretchSeconds: number
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/webhook-endpoints/health': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Health of each endpoint, by its deliveries of the last days */
    get: {
      parameters: {
        query?: {
          days?: number
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                abandoned: number
                /** @description most attempts failed of late: it is tried only now and then */
                breakerOpen: boolean
                delivered: number
                endpointId: string
                /** @description the last ones of deliveries among them */
                failedAttempts: number
                /** @description now, for another attempt; counted to 1000 */
                failing: number
                /** @description events that its filter did not let through */
                filtered: number
                lastDeliveredAt: string | null
                lastFailure: {
                  code: string | null
                  deliveryId: string
                  error: string | null
                } | null
                skipped: number
                /** @description of the attempts of these days; null without one */
                successRate: number | null
                /** @description now, for a first attempt; counted to 1000 */
                waiting: number
              }[]
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/webhook-events': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Events of the gateway, newest first; with unknown_payment, for platform operators, those that name no payment here */
    get: {
      parameters: {
        query?: {
          /** @description `nextCursor` of the page before */
          cursor?: string
          limit?: number
          paymentId?: string
          since?: string
          /** @description a field of the items, `-` before it for the highest first */
          sort?: '-receivedAt' | 'receivedAt'
          status?:
            | 'applied'
            | 'unchanged'
            | 'parked'
            | 'forbidden'
            | 'mismatch'
            | 'kept'
            | 'unknown_payment'
          type?: string
          until?: string
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              items: {
                appliedAt: string | null
                /** @description when it got its status */
                decidedAt: string
                /** @description its object at the gateway, if it names no payment */
                gatewayRef: string | null
                /** @description the gateway’s own */
                id: string
                paymentId: string | null
                /** @description why it waits, contradicts or does not fit */
                reason: string | null
                receivedAt: string
                /**
                 * @description lookup: the gateway was asked, since its webhook did not come
                 * @enum {unknown}
                 */
                source: 'webhook' | 'lookup'
                /** @enum {unknown} */
                status:
                  | 'applied'
                  | 'unchanged'
                  | 'parked'
                  | 'forbidden'
                  | 'mismatch'
                  | 'kept'
                  | 'unknown_payment'
                type: string
              }[]
              nextCursor: string | null
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/webhook-events/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** An event of the gateway and the decision about it */
    get: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              appliedAt: string | null
              /** @description as received, byte for byte */
              body: string
              /** @description when it got its status */
              decidedAt: string
              /** @description its object at the gateway, if it names no payment */
              gatewayRef: string | null
              /** @description the gateway’s own */
              id: string
              paymentId: string | null
              /** @description why it waits, contradicts or does not fit */
              reason: string | null
              receivedAt: string
              /**
               * @description lookup: the gateway was asked, since its webhook did not come
               * @enum {unknown}
               */
              source: 'webhook' | 'lookup'
              /** @enum {unknown} */
              status:
                | 'applied'
                | 'unchanged'
                | 'parked'
                | 'forbidden'
                | 'mismatch'
                | 'kept'
                | 'unknown_payment'
              type: string
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/webhook-events/{id}/reprocess': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Decide about an event again */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              appliedAt: string | null
              /** @description as received, byte for byte */
              body: string
              /** @description when it got its status */
              decidedAt: string
              /** @description its object at the gateway, if it names no payment */
              gatewayRef: string | null
              /** @description the gateway’s own */
              id: string
              paymentId: string | null
              /** @description why it waits, contradicts or does not fit */
              reason: string | null
              receivedAt: string
              /**
               * @description lookup: the gateway was asked, since its webhook did not come
               * @enum {unknown}
               */
              source: 'webhook' | 'lookup'
              /** @enum {unknown} */
              status:
                | 'applied'
                | 'unchanged'
                | 'parked'
                | 'forbidden'
                | 'mismatch'
                | 'kept'
                | 'unknown_payment'
              type: string
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/webhook-filters/test': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Test a filter on a sample of the catalogue or on your own event; sends nothing */
    post: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json':
            | {
                event?: {
                  [key: string]: unknown
                }
                /**
                 * @description of the catalogue
                 * @enum {string}
                 */
                eventType?:
                  | 'payment.succeeded'
                  | 'payment.failed'
                  | 'payment.authorised'
                  | 'payment.voided'
                  | 'payment.expired'
                  | 'payment.refunded'
                  | 'payment.refund_failed'
                  | 'dispute.inquiry'
                  | 'dispute.opened'
                  | 'dispute.won'
                  | 'dispute.lost'
                  | 'dispute.withdrawn'
                  | 'reconciliation.completed'
                  | 'message.received'
                  | 'webhook_endpoint.failing'
                  | 'webhook_endpoint.disabled'
                  | 'webhook.ping'
                filter: {
                  conditions: (
                    | {
                        equals: string | number | boolean | null
                        /** @description JSON Pointer into the body, as /data/amount */
                        path: string
                      }
                    | {
                        notEquals: string | number | boolean | null
                        /** @description JSON Pointer into the body, as /data/amount */
                        path: string
                      }
                    | {
                        in: (string | number | boolean | null)[]
                        /** @description JSON Pointer into the body, as /data/amount */
                        path: string
                      }
                    | {
                        exists: boolean
                        /** @description JSON Pointer into the body, as /data/amount */
                        path: string
                      }
                    | {
                        lessThan: number
                        /** @description JSON Pointer into the body, as /data/amount */
                        path: string
                      }
                    | {
                        atMost: number
                        /** @description JSON Pointer into the body, as /data/amount */
                        path: string
                      }
                    | {
                        moreThan: number
                        /** @description JSON Pointer into the body, as /data/amount */
                        path: string
                      }
                    | {
                        atLeast: number
                        /** @description JSON Pointer into the body, as /data/amount */
                        path: string
                      }
                  )[]
                  /** @description whether every condition must hold, or one of them */
                  match: 'all' | 'any'
                }
              }
            | unknown
            | unknown
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              conditions: {
                /** @description absent if there is none */
                found?: unknown
                holds: boolean
                path: string
              }[]
              /** @description the body that was tried */
              event: unknown
              /** @description whether an endpoint with the filter gets the event */
              matches: boolean
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/webhooks/payments': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Take an event of the payment gateway, signed by x-webhook-signature or Standard Webhooks */
    post: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            createdAt?: string
            data: {
              paymentId?: string
            } & {
              [key: string]: unknown
            }
            id: string
            type: string
          } & {
            [key: string]: unknown
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              duplicate: boolean
              received: boolean
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/webhooks/stripe': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Receive an event of Stripe, signed by Stripe-Signature */
    post: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            created: number
            data: {
              object: unknown
            } & {
              [key: string]: unknown
            }
            id: string
            type: string
          } & {
            [key: string]: unknown
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              duplicate: boolean
              /** @description it says nothing of the state of a payment */
              ignored: boolean
              received: boolean
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/webhooks/whatsapp/accounts/{id}/inbound': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** WhatsApp's handshake: answers the challenge if the token matches */
    get: {
      parameters: {
        query?: {
          'hub.challenge'?: string
          'hub.mode'?: string
          'hub.verify_token'?: string
        }
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': string
          }
        }
      }
    }
    put?: never
    /** People's messages, and WhatsApp's reports about sent ones */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            entry: ({
              changes?: ({
                field?: unknown
                value?: {
                  contacts?: unknown[]
                  messages?: unknown[]
                  metadata?: unknown
                  statuses?: unknown[]
                } & {
                  [key: string]: unknown
                }
              } & {
                [key: string]: unknown
              })[]
              time?: unknown
            } & {
              [key: string]: unknown
            })[]
          } & {
            [key: string]: unknown
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              received: number
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/webhooks/whatsapp/inbound': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** WhatsApp's handshake: answers the challenge if the token matches */
    get: {
      parameters: {
        query?: {
          'hub.challenge'?: string
          'hub.mode'?: string
          'hub.verify_token'?: string
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': string
          }
        }
      }
    }
    put?: never
    /** People's messages, and WhatsApp's reports about sent ones */
    post: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            entry: ({
              changes?: ({
                field?: unknown
                value?: {
                  contacts?: unknown[]
                  messages?: unknown[]
                  metadata?: unknown
                  statuses?: unknown[]
                } & {
                  [key: string]: unknown
                }
              } & {
                [key: string]: unknown
              })[]
              time?: unknown
            } & {
              [key: string]: unknown
            })[]
          } & {
            [key: string]: unknown
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              received: number
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/asyncapi.json': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Outboxes, their messages and consumers as an AsyncAPI 3 document */
    get: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              asyncapi: string
            } & {
              [key: string]: unknown
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/graphql': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Families and their invitations, by GraphQL */
    get: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/graphql-response+json': {
              data?: unknown
              errors?: ({
                extensions?: {
                  code?: string
                } & {
                  [key: string]: unknown
                }
                message: string
              } & {
                [key: string]: unknown
              })[]
            }
            'application/json': {
              data?: unknown
              errors?: ({
                extensions?: {
                  code?: string
                } & {
                  [key: string]: unknown
                }
                message: string
              } & {
                [key: string]: unknown
              })[]
            }
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/graphql-response+json': {
              data?: unknown
              errors?: ({
                extensions?: {
                  code?: string
                } & {
                  [key: string]: unknown
                }
                message: string
              } & {
                [key: string]: unknown
              })[]
            }
            'application/json': {
              data?: unknown
              errors?: ({
                extensions?: {
                  code?: string
                } & {
                  [key: string]: unknown
                }
                message: string
              } & {
                [key: string]: unknown
              })[]
            }
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Done, or refused by the family: see `errors` of the payload */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/graphql-response+json': {
              data?: unknown
              errors?: ({
                extensions?: {
                  code?: string
                } & {
                  [key: string]: unknown
                }
                message: string
              } & {
                [key: string]: unknown
              })[]
            }
            'application/json': {
              data?: unknown
              errors?: ({
                extensions?: {
                  code?: string
                } & {
                  [key: string]: unknown
                }
                message: string
              } & {
                [key: string]: unknown
              })[]
            }
          }
        }
      }
    }
    put?: never
    /** Families and their invitations, by GraphQL */
    post: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/graphql-response+json': {
              data?: unknown
              errors?: ({
                extensions?: {
                  code?: string
                } & {
                  [key: string]: unknown
                }
                message: string
              } & {
                [key: string]: unknown
              })[]
            }
            'application/json': {
              data?: unknown
              errors?: ({
                extensions?: {
                  code?: string
                } & {
                  [key: string]: unknown
                }
                message: string
              } & {
                [key: string]: unknown
              })[]
            }
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/graphql-response+json': {
              data?: unknown
              errors?: ({
                extensions?: {
                  code?: string
                } & {
                  [key: string]: unknown
                }
                message: string
              } & {
                [key: string]: unknown
              })[]
            }
            'application/json': {
              data?: unknown
              errors?: ({
                extensions?: {
                  code?: string
                } & {
                  [key: string]: unknown
                }
                message: string
              } & {
                [key: string]: unknown
              })[]
            }
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Done, or refused by the family: see `errors` of the payload */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/graphql-response+json': {
              data?: unknown
              errors?: ({
                extensions?: {
                  code?: string
                } & {
                  [key: string]: unknown
                }
                message: string
              } & {
                [key: string]: unknown
              })[]
            }
            'application/json': {
              data?: unknown
              errors?: ({
                extensions?: {
                  code?: string
                } & {
                  [key: string]: unknown
                }
                message: string
              } & {
                [key: string]: unknown
              })[]
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/healthz': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Liveness: the process answers */
    get: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              /** @enum {string} */
              status: 'ok'
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/invitations': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** The page of an invitation's link, unless you have your own */
    get: {
      parameters: {
        query?: {
          token?: string
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Done */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            '*/*': unknown
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/metrics': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Metrics for Prometheus */
    get: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Done */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            '*/*': unknown
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/readyz': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Readiness: database, a recent write, migrations, brokers */
    get: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              checks: {
                [key: string]: {
                  ms: number
                  ok: boolean
                  reason?: string
                }
              }
              ready: boolean
            }
          }
        }
        /** @description Default Response */
        503: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              checks: {
                [key: string]: {
                  ms: number
                  ok: boolean
                  reason?: string
                }
              }
              ready: boolean
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/sim': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** The simulators */
    get: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Done */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            '*/*': unknown
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/sim/clock': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** The time of the business clock */
    get: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Done */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            '*/*': unknown
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/sim/clock/advance': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Move the business clock forward and wake every relay */
    post: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            /** @description e.g. '6h' */
            by: string
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Done */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            '*/*': unknown
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/sim/documents': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post?: never
    /** Reset documents: its requests, fault and state */
    delete: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        204: {
          headers: {
            [name: string]: unknown
          }
          content?: never
        }
      }
    }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/sim/documents/attachments': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Attachments, newest first */
    get: {
      parameters: {
        query?: {
          case_id?: string
          idempotency_key?: string
          limit?: number
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Done */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            '*/*': unknown
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/sim/documents/faults': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** The fault of documents */
    get: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Done */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            '*/*': unknown
          }
        }
      }
    }
    put?: never
    /** Set the fault of documents; it replaces an earlier one */
    post: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            /** @description requests that pass first; default 0 */
            after?: number
            /** @description in the body of an error, if the protocol has one */
            code?: number | string
            /** @description of slow; 2000 */
            delayMs?: number
            /** @description whether the work is done before it fails; false */
            effect?: boolean
            /**
             * @description ok clears, error says so, timeout never answers, drop cuts the connection, slow is late
             * @enum {unknown}
             */
            mode: 'ok' | 'error' | 'timeout' | 'drop' | 'slow'
            /** @description of an error; 500, SMTP 451 */
            status?: number
            /** @description number of requests; default until cleared */
            times?: number
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Done */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            '*/*': unknown
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/sim/documents/requests': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Requests that documents received, newest first */
    get: {
      parameters: {
        query?: {
          /** @description the id to go on below */
          before?: number
          limit?: number
          outcome?: 'pending' | 'ok' | 'error' | 'timeout' | 'drop' | 'slow' | 'aborted'
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Done */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            '*/*': unknown
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/sim/gateway': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post?: never
    /** Reset gateway: its requests, fault and state */
    delete: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        204: {
          headers: {
            [name: string]: unknown
          }
          content?: never
        }
      }
    }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/sim/gateway/authenticate/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Where a customer authenticates: `outcome` says how that ends, without it a page asks */
    get: {
      parameters: {
        query?: {
          outcome?: 'succeeds' | 'fails'
        }
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description The page, or the charge */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': unknown
            'text/html': string
          }
        }
        /** @description Default Response */
        422: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              error: {
                code: string
                message: string
              }
            }
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/sim/gateway/disputes': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** The disputes, newest first */
    get: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Done */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            '*/*': unknown
          }
        }
      }
    }
    put?: never
    /** Open a dispute about a charge */
    post: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            /** @description minor units; all of it */
            amount?: number
            chargeId: string
            currency?: string
            reason?: string
            /**
             * @description inquiry: takes no money yet; opened
             * @enum {unknown}
             */
            status?: 'inquiry' | 'opened'
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        201: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': unknown
          }
        }
        /** @description Default Response */
        404: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              error: {
                code: string
                message: string
              }
            }
          }
        }
        /** @description Default Response */
        422: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              error: {
                code: string
                message: string
              }
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/sim/gateway/disputes/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** End a dispute, or turn an inquiry into one */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
        }
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            /** @enum {unknown} */
            status: 'opened' | 'won' | 'lost' | 'withdrawn'
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': unknown
          }
        }
        /** @description Default Response */
        404: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              error: {
                code: string
                message: string
              }
            }
          }
        }
        /** @description Default Response */
        422: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              error: {
                code: string
                message: string
              }
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/sim/gateway/expire': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Let the hold of a charge expire */
    post: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            chargeId: string
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': unknown
          }
        }
        /** @description Default Response */
        422: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              error: {
                code: string
                message: string
              }
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/sim/gateway/faults': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** The fault of gateway */
    get: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Done */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            '*/*': unknown
          }
        }
      }
    }
    put?: never
    /** Set the fault of gateway; it replaces an earlier one */
    post: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            /** @description requests that pass first; default 0 */
            after?: number
            /** @description in the body of an error, if the protocol has one */
            code?: number | string
            /** @description of slow; 2000 */
            delayMs?: number
            /** @description whether the work is done before it fails; false */
            effect?: boolean
            /**
             * @description ok clears, error says so, timeout never answers, drop cuts the connection, slow is late
             * @enum {unknown}
             */
            mode: 'ok' | 'error' | 'timeout' | 'drop' | 'slow'
            /** @description of an error; 500, SMTP 451 */
            status?: number
            /** @description number of requests; default until cleared */
            times?: number
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Done */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            '*/*': unknown
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/sim/gateway/ledger': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Charges and refunds */
    get: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Done */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            '*/*': unknown
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/sim/gateway/refund-failures': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Let a completed refund fail at the bank, as happens days later */
    post: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            refundId: string
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': unknown
          }
        }
        /** @description Default Response */
        422: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              error: {
                code: string
                message: string
              }
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/sim/gateway/requests': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Requests that gateway received, newest first */
    get: {
      parameters: {
        query?: {
          /** @description the id to go on below */
          before?: number
          limit?: number
          outcome?: 'pending' | 'ok' | 'error' | 'timeout' | 'drop' | 'slow' | 'aborted'
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Done */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            '*/*': unknown
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/sim/gateway/webhooks': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** How webhooks are sent */
    get: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Done */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            '*/*': unknown
          }
        }
      }
    }
    put?: never
    /** Send webhooks late, twice or out of order */
    post: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            /** @description copies of each; default 1 */
            copies?: number
            /** @description how late they are; 200 */
            delayMs?: number
            /**
             * @description reversed: events within delayMs are sent newest first; kept
             * @enum {unknown}
             */
            order?: 'kept' | 'reversed'
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Done */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            '*/*': unknown
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/sim/mail': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** The mailbox as a page */
    get: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Done */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            '*/*': unknown
          }
        }
      }
    }
    put?: never
    post?: never
    /** Reset mail: its requests, fault and state */
    delete: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        204: {
          headers: {
            [name: string]: unknown
          }
          content?: never
        }
      }
    }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/sim/mail/faults': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** The fault of mail */
    get: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Done */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            '*/*': unknown
          }
        }
      }
    }
    put?: never
    /** Set the fault of mail; it replaces an earlier one */
    post: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            /** @description requests that pass first; default 0 */
            after?: number
            /** @description in the body of an error, if the protocol has one */
            code?: number | string
            /** @description of slow; 2000 */
            delayMs?: number
            /** @description whether the work is done before it fails; false */
            effect?: boolean
            /**
             * @description ok clears, error says so, timeout never answers, drop cuts the connection, slow is late
             * @enum {unknown}
             */
            mode: 'ok' | 'error' | 'timeout' | 'drop' | 'slow'
            /** @description of an error; 500, SMTP 451 */
            status?: number
            /** @description number of requests; default until cleared */
            times?: number
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Done */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            '*/*': unknown
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/sim/mail/requests': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Requests that mail received, newest first */
    get: {
      parameters: {
        query?: {
          /** @description the id to go on below */
          before?: number
          limit?: number
          outcome?: 'pending' | 'ok' | 'error' | 'timeout' | 'drop' | 'slow' | 'aborted'
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Done */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            '*/*': unknown
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/sim/merchant': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post?: never
    /** Reset merchant: its requests, fault and state */
    delete: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        204: {
          headers: {
            [name: string]: unknown
          }
          content?: never
        }
      }
    }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/sim/merchant/faults': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** The fault of merchant */
    get: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Done */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            '*/*': unknown
          }
        }
      }
    }
    put?: never
    /** Set the fault of merchant; it replaces an earlier one */
    post: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            /** @description requests that pass first; default 0 */
            after?: number
            /** @description in the body of an error, if the protocol has one */
            code?: number | string
            /** @description of slow; 2000 */
            delayMs?: number
            /** @description whether the work is done before it fails; false */
            effect?: boolean
            /**
             * @description ok clears, error says so, timeout never answers, drop cuts the connection, slow is late
             * @enum {unknown}
             */
            mode: 'ok' | 'error' | 'timeout' | 'drop' | 'slow'
            /** @description of an error; 500, SMTP 451 */
            status?: number
            /** @description number of requests; default until cleared */
            times?: number
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Done */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            '*/*': unknown
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/sim/merchant/requests': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Requests that merchant received, newest first */
    get: {
      parameters: {
        query?: {
          /** @description the id to go on below */
          before?: number
          limit?: number
          outcome?: 'pending' | 'ok' | 'error' | 'timeout' | 'drop' | 'slow' | 'aborted'
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Done */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            '*/*': unknown
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/sim/merchant/secrets': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Set the secrets by which the merchant checks signatures */
    post: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            secrets: string[]
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        204: {
          headers: {
            [name: string]: unknown
          }
          content?: never
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/sim/whatsapp': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post?: never
    /** Reset whatsapp: its requests, fault and state */
    delete: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        204: {
          headers: {
            [name: string]: unknown
          }
          content?: never
        }
      }
    }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/sim/whatsapp/accounts': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Add a business account */
    post: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            /** @description the token of its requests */
            accessToken: string
            /** @description signs its webhooks */
            appSecret: string
            /** @description its numbers */
            phoneNumberIds: string[]
            /** @description address of its webhooks */
            webhookPath: string
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        201: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              accounts: number
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/sim/whatsapp/behaviour': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** The behaviour of WhatsApp */
    get: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Done */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            '*/*': unknown
          }
        }
      }
    }
    /** Change the behaviour of WhatsApp */
    put: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            /** @description reports that are never made */
            drop?: ('sent' | 'delivered' | 'read' | 'failed')[]
            /** @description whether biz_opaque_callback_data comes back; true */
            echo?: boolean
            /** @description until sent; delivered comes after twice, read after four times as long; 400 */
            paceMs?: number
            /** @description messages that one number may send in a second; 0 for no limit; 80 */
            perSecond?: number
            /** @description whether the last comes first; false */
            reorder?: boolean
            /** @description copies of each; default 1 */
            repeat?: number
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Done */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            '*/*': unknown
          }
        }
      }
    }
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/sim/whatsapp/faults': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** The fault of whatsapp */
    get: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Done */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            '*/*': unknown
          }
        }
      }
    }
    put?: never
    /** Set the fault of whatsapp; it replaces an earlier one */
    post: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            /** @description requests that pass first; default 0 */
            after?: number
            /** @description in the body of an error, if the protocol has one */
            code?: number | string
            /** @description of slow; 2000 */
            delayMs?: number
            /** @description whether the work is done before it fails; false */
            effect?: boolean
            /**
             * @description ok clears, error says so, timeout never answers, drop cuts the connection, slow is late
             * @enum {unknown}
             */
            mode: 'ok' | 'error' | 'timeout' | 'drop' | 'slow'
            /** @description of an error; 500, SMTP 451 */
            status?: number
            /** @description number of requests; default until cleared */
            times?: number
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Done */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            '*/*': unknown
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/sim/whatsapp/inbound': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Send a message as a person */
    post: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            /** @description the person's number; hidden by default */
            from?: string
            /**
             * @description text
             * @enum {unknown}
             */
            kind?: 'text' | 'button' | 'list' | 'image' | 'reaction' | 'unsupported'
            /** @description Ada */
            name?: string
            /** @description copies of the report; default 1 */
            repeat?: number
            /** @description id of a message, wamid.…; none */
            replyTo?: string
            /** @description the words, the title of a button, a caption, an emoji; Hello */
            text?: string
            /** @description the id of the number it is written to; the one that wrote last */
            to?: string
            /** @description Meta's id of the person, as US.13491208655302741918; none */
            userId?: string
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        202: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              id: string
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/sim/whatsapp/reports': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /** Report a status of a message */
    post: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            id: string
            /** @enum {unknown} */
            status: 'sent' | 'delivered' | 'read' | 'failed'
          }
        }
      }
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Default Response */
        202: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              reported: boolean
            }
          }
        }
        /** @description Default Response */
        404: {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/json': {
              reported: boolean
            }
          }
        }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/sim/whatsapp/requests': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Requests that whatsapp received, newest first */
    get: {
      parameters: {
        query?: {
          /** @description the id to go on below */
          before?: number
          limit?: number
          outcome?: 'pending' | 'ok' | 'error' | 'timeout' | 'drop' | 'slow' | 'aborted'
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Done */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            '*/*': unknown
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/sim/whatsapp/tally': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /** Number of messages that WhatsApp accepted and held back */
    get: {
      parameters: {
        query?: never
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        /** @description Request refused */
        '4XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Server error */
        '5XX': {
          headers: {
            [name: string]: unknown
          }
          content: {
            'application/problem+json': components['schemas']['Problem']
          }
        }
        /** @description Done */
        200: {
          headers: {
            [name: string]: unknown
          }
          content: {
            '*/*': unknown
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
}
export type webhooks = Record<string, never>
export interface components {
  schemas: {
    /** @description A problem, RFC 9457 */
    Problem: {
      /** @description Stable; branch on this */
      code: string
      detail: string
      errors?: {
        field: string
        reason: string
      }[]
      status: number
      title: string
      type: string
    } & {
      [key: string]: unknown
    }
  }
  responses: never
  parameters: never
  requestBodies: never
  headers: never
  pathItems: never
}
export type $defs = Record<string, never>
export type operations = Record<string, never>
