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
          /** @description `nextCursor` of the previous page */
          cursor?: string
          limit?: number
          /** @description Field to sort by; `-` before it sorts in descending order */
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
    /** Acknowledge an alert; later acknowledgements change nothing */
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
              /** @description Limits of currencies that the organisation has not set */
              defaults: {
                /** @description Largest amount, in minor units, that needs no second person; null: no limit */
                amount: number | null
                /** @description ISO 4217 code, or `*` for all other currencies */
                currency: string
              }[]
              /** @description Limits that the organisation has set */
              limits: {
                /** @description Largest amount, in minor units, that needs no second person; null: no limit */
                amount: number | null
                /** @description ISO 4217 code, or `*` for all other currencies */
                currency: string
              }[]
            }
          }
        }
      }
    }
    /**
     * Set the amounts above which a second person must approve
     * @description A lower limit takes effect at once. Raising or removing one returns 202 with a proposal that a second admin must approve.
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
              /** @description Largest amount, in minor units, that needs no second person; null: no limit */
              amount: number | null
              /** @description ISO 4217 code, or `*` for all other currencies */
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
              /** @description Limits of currencies that the organisation has not set */
              defaults: {
                /** @description Largest amount, in minor units, that needs no second person; null: no limit */
                amount: number | null
                /** @description ISO 4217 code, or `*` for all other currencies */
                currency: string
              }[]
              /** @description Limits that the organisation has set */
              limits: {
                /** @description Largest amount, in minor units, that needs no second person; null: no limit */
                amount: number | null
                /** @description ISO 4217 code, or `*` for all other currencies */
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
              /** @description Amount in minor units */
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
              /** @description Id of the payment or run, `run/line` of a record, or `limits` */
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
          /** @description `nextCursor` of the previous page */
          cursor?: string
          limit?: number
          /** @description Field to sort by; `-` before it sorts in descending order */
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
                /** @description Amount in minor units */
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
                /** @description Id of the payment or run, `run/line` of a record, or `limits` */
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
    /** A proposal */
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
              /** @description Amount in minor units */
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
              /** @description Id of the payment or run, `run/line` of a record, or `limits` */
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
     * Approve another user's proposal and carry it out
     * @description The decision and its effect are stored in one transaction. If the action is no longer possible, the answer is the error of the direct call, and the proposal stays open.
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
            /** @description Reason, in your own words */
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
              /** @description Amount in minor units */
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
              /** @description Id of the payment or run, `run/line` of a record, or `limits` */
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
    /** Reject another user's proposal */
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
            /** @description Reason, in your own words */
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
              /** @description Amount in minor units */
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
              /** @description Id of the payment or run, `run/line` of a record, or `limits` */
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
    /** Withdraw your own proposal */
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
            /** @description Reason, in your own words */
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
              /** @description Amount in minor units */
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
              /** @description Id of the payment or run, `run/line` of a record, or `limits` */
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
     * @description A page reads a limited number of entries, so a short or empty page need not be the last: follow `nextCursor`.
     */
    get: {
      parameters: {
        query?: {
          actor?: string
          code?: string
          /** @description `nextCursor` of the previous page */
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
     * @description Every user sees the entries of the own organisation, sorted by real time. To follow a row of an evidence file, filter by the id of the row.
     */
    get: {
      parameters: {
        query?: {
          action?: string
          actor?: string
          /** @description `nextCursor` of the previous page */
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
                 * @description Real time of the entry
                 */
                at: string
                /** @description Name of the audit table */
                audit: string
                /** @description Time by the business clock; null if this audit does not record it */
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
     * @description Periods of one minute for up to three hours, five minutes for up to a day, half an hour beyond. Relays write the figures once a minute.
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
              /** @description Number of periods; the last one is incomplete */
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
               * @description Start of the first period
               */
              from: string
              /** @description Milliseconds to delivery, from commit or from the due time if that is later */
              latency: {
                /** @description One value for each period; null if unknown */
                p50: (number | null)[]
                /** @description One value for each period; null if unknown */
                p95: (number | null)[]
                /** @description One value for each period; null if unknown */
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
                  /** @description Failed attempts */
                  failed: number[]
                  /** @description Milliseconds to delivery, from commit or from the due time if that is later */
                  latency: {
                    /** @description One value for each period; null if unknown */
                    p50: (number | null)[]
                    /** @description One value for each period; null if unknown */
                    p95: (number | null)[]
                    /** @description One value for each period; null if unknown */
                    p99: (number | null)[]
                  }
                  /** @description One value for each period; null if unknown */
                  oldestDueSeconds: (number | null)[]
                  /** @description One value for each period; null if unknown */
                  oldestUndeliveredSeconds: (number | null)[]
                  /** @description Messages claimed but not attempted: breaker open, destination busy or limit reached */
                  postponed: number[]
                  /** @description One value for each period; null if unknown */
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
                /** @description One value for each period; null if unknown */
                lag: (number | null)[]
                topic: string
              }[]
              /** @description Number of periods; the last one is incomplete */
              count: number
              /**
               * Format: date-time
               * @description Start of the first period
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
                /** @description Unacknowledged messages of the group; null before the first sample */
                lag: number | null
                oldestDeadAt: string | null
                /** @description Messages set aside behind a failed message of the same key */
                parked: number
                /** @description Messages set aside until their next attempt */
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
          /** @description `nextCursor` of the previous page */
          cursor?: string
          group?: string
          key?: string
          limit?: number
          search?: string
          since?: string
          /** @description Field to sort by; `-` before it sorts in descending order */
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
              /** @description Received bytes in base64 if they could not be decoded, else null */
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
              /** @description Payload; fields named like secrets are redacted */
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
    /** Delete dead letters for good and deliver the messages parked behind them */
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
    /** Redeliver dead letters to their consumers, with zero attempts */
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
          /** @description `nextCursor` of the previous page */
          cursor?: string
          dossierId?: string
          limit?: number
          /** @description Phone number in E.164 format, such as +16505551234 */
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
                /** @description True if the person wrote after your last answer */
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
                /** @description Your number that the person last wrote to */
                numberId: string
                orgId: string
                /** @description Phone number of the person */
                recipient: string
                /** @description True while free text may be sent */
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
    /** A conversation, with the time until which free text is allowed */
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
              /** @description True if the person wrote after your last answer */
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
              /** @description Your number that the person last wrote to */
              numberId: string
              orgId: string
              /** @description Phone number of the person */
              recipient: string
              /** @description True while free text may be sent */
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
    /** Record consent or its withdrawal; a withdrawal cancels pending messages */
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
            /** @description Where the proof is kept */
            proof?: string
            /**
             * @description How consent was given
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
              /** @description True if the person wrote after your last answer */
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
              /** @description Your number that the person last wrote to */
              numberId: string
              orgId: string
              /** @description Phone number of the person */
              recipient: string
              /** @description True while free text may be sent */
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
          /** @description `nextCursor` of the previous page */
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
                /** @description Who recorded it */
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
                /** @description How consent was given; keyword: by a word in a message of the person */
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
    /** Messages in both directions, newest last; the cursor returns older ones */
    get: {
      parameters: {
        query?: {
          /** @description `nextCursor` of the previous page */
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
                /** @description inbound: the content as received, for media its reference; outbound: payloadJson */
                content: unknown
                contentsRemovedAt: string | null
                deliveredAt: string | null
                /** @enum {unknown} */
                direction: 'inbound' | 'outbound'
                errorCode: string | null
                errorMessage: string | null
                /** Format: uuid */
                id: string
                /** @description outbound: template or text; inbound: the provider's type */
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
              /** @description True if the provider did not answer: the message may have been sent */
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
              /** @description True if the provider did not answer: the message may have been sent */
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
              /** @description At most five, the worst first */
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
                /** @description What the step does */
                about: string
                id: string
                look: {
                  label: string
                  /** @description Path of the dashboard page */
                  path: string
                }[]
                /** @description What the step found, one sentence each */
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
    /** Start the demo of all systems as the caller, or return the running one */
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
                /** @description What the step does */
                about: string
                id: string
                look: {
                  label: string
                  /** @description Path of the dashboard page */
                  path: string
                }[]
                /** @description What the step found, one sentence each */
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
                /** @description What the step does */
                about: string
                id: string
                look: {
                  label: string
                  /** @description Path of the dashboard page */
                  path: string
                }[]
                /** @description What the step found, one sentence each */
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
          /** @description `nextCursor` of the previous page */
          cursor?: string
          /** @description Only disputes whose evidence is due before this time */
          dueBefore?: string
          limit?: number
          /** @description true: only inquiries and disputes that have not ended */
          open?: boolean
          /** @description Field to sort by; `-` before it sorts in descending order */
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
                /** @description Id of the dispute at the gateway */
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
          /** @description `nextCursor` of the previous page */
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
          /** @description `nextCursor` of the previous page */
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
          /** @description `nextCursor` of the previous page */
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
                /** @description Who recorded it */
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
                /** @description How consent was given; keyword: by a word in a message of the person */
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
                /** @description How the latest decision was given */
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
            /** @description Where the proof is kept */
            proof?: string
            /** @description Number or address of the consent; granting consent also lifts a withdrawal of this number or address */
            recipient?: string
            /**
             * @description How consent was given
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
              /** @description How the latest decision was given */
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
          /** @description `nextCursor` of the previous page */
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
                /** @description Rows overwritten so far */
                erased: number
                finishedAt: string | null
                /** @description Rows under a legal hold, kept until its release */
                held: number
                /** Format: uuid */
                id: string
                /** @description Rows in flight, to be overwritten afterwards */
                inFlight: number
                /** @description Rows read so far */
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
     * @description Overwrites texts, payloads and files that name the person; keeps amounts, counts and the audit. Rows in flight or under a legal hold are erased later. The reason is kept, so it must not name the person. Repeating the request during an erasure returns that erasure with 200.
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
            /** @description Exactly one of these fields */
            subject: {
              dossierId?: string
              email?: string
              /** @description External id of a payment or statement line, or the id of a case */
              externalId?: string
              /** @description Phone number with country code, such as +16505551234 */
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
              /** @description Rows overwritten so far */
              erased: number
              finishedAt: string | null
              /** @description Rows under a legal hold, kept until its release */
              held: number
              /** Format: uuid */
              id: string
              /** @description Rows in flight, to be overwritten afterwards */
              inFlight: number
              /** @description Rows read so far */
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
              /** @description Rows overwritten so far */
              erased: number
              finishedAt: string | null
              /** @description Rows under a legal hold, kept until its release */
              held: number
              /** Format: uuid */
              id: string
              /** @description Rows in flight, to be overwritten afterwards */
              inFlight: number
              /** @description Rows read so far */
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
              /** @description Rows overwritten so far */
              erased: number
              finishedAt: string | null
              /** @description Rows under a legal hold, kept until its release */
              held: number
              /** Format: uuid */
              id: string
              /** @description Rows in flight, to be overwritten afterwards */
              inFlight: number
              /** @description Rows read so far */
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
            /** @description Exactly one of these fields */
            subject: {
              dossierId?: string
              email?: string
              /** @description External id of a payment or statement line, or the id of a case */
              externalId?: string
              /** @description Phone number with country code, such as +16505551234 */
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
              /** @description Number of these rows that are under a legal hold */
              held: number
              /** @description False if the time limit ended the count early */
              isWhole: boolean
              /** @description Number of rows that name the person */
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
                /** @description Sample of a request body */
                sample: unknown
                /** @description JSON Schema of the request body */
                schema: unknown
                type: string
                /** @description Version of the shape of `data` */
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
              /** @description Sample of a request body */
              sample: unknown
              /** @description JSON Schema of the request body */
              schema: unknown
              type: string
              /** @description Version of the shape of `data` */
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
          /** @description `nextCursor` of the previous page */
          cursor?: string
          limit?: number
          /** @description Field to sort by; `-` before it sorts in descending order */
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
                /** @description Next retry of a failed row, by the business clock */
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
     * @description Body: `application/zip`, or `multipart/form-data` with one file. The file is processed after the answer; read the job for its progress.
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
              /** @description Next retry of a failed row, by the business clock */
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
     * @description The rows become ERROR with the code CANCELLED, the file COMPLETED, or REJECTED if none of its rows was stored. Repeating the request changes nothing.
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
              /** @description Next retry of a failed row, by the business clock */
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
                /** @description Delivery of the webhook to each endpoint */
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
          /** @description `nextCursor` of the previous page */
          cursor?: string
          limit?: number
          /** @description Field to sort by; `-` before it sorts in descending order */
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
    /** Receive events of an S3 bucket: new objects under incoming/ become file jobs */
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
                /** @description Number of alerts of the incident */
                alerts: number
                closedAt: string | null
                code: string
                /** @description Text of the newest alert */
                detail: string | null
                /** @description Alerts raised in the hour before the last one */
                hourBefore: number
                /** Format: uuid */
                id: string
                lastAt: string | null
                /** @description Alerts raised in the last hour */
                lastHour: number
                /**
                 * Format: date-time
                 * @description When the first alert was raised
                 */
                openedAt: string
                owner: string | null
                snoozedUntil: string | null
                /** @description Outbox, or part of a system */
                source: string
                /** @description Alerts whose cause still exists */
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
    /** Acknowledge an incident and its alerts; later acknowledgements change nothing */
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
              /** @description Number of alerts of the incident */
              alerts: number
              closedAt: string | null
              code: string
              /** @description Text of the newest alert */
              detail: string | null
              /** @description Alerts raised in the hour before the last one */
              hourBefore: number
              /** Format: uuid */
              id: string
              lastAt: string | null
              /** @description Alerts raised in the last hour */
              lastHour: number
              /**
               * Format: date-time
               * @description When the first alert was raised
               */
              openedAt: string
              owner: string | null
              snoozedUntil: string | null
              /** @description Outbox, or part of a system */
              source: string
              /** @description Alerts whose cause still exists */
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
              /** @description Number of alerts of the incident */
              alerts: number
              closedAt: string | null
              code: string
              /** @description Text of the newest alert */
              detail: string | null
              /** @description Alerts raised in the hour before the last one */
              hourBefore: number
              /** Format: uuid */
              id: string
              lastAt: string | null
              /** @description Alerts raised in the last hour */
              lastHour: number
              /**
               * Format: date-time
               * @description When the first alert was raised
               */
              openedAt: string
              owner: string | null
              snoozedUntil: string | null
              /** @description Outbox, or part of a system */
              source: string
              /** @description Alerts whose cause still exists */
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
    /** Snooze an incident for a number of minutes; 0 ends the snooze */
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
              /** @description Number of alerts of the incident */
              alerts: number
              closedAt: string | null
              code: string
              /** @description Text of the newest alert */
              detail: string | null
              /** @description Alerts raised in the hour before the last one */
              hourBefore: number
              /** Format: uuid */
              id: string
              lastAt: string | null
              /** @description Alerts raised in the last hour */
              lastHour: number
              /**
               * Format: date-time
               * @description When the first alert was raised
               */
              openedAt: string
              owner: string | null
              snoozedUntil: string | null
              /** @description Outbox, or part of a system */
              source: string
              /** @description Alerts whose cause still exists */
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
     * @description Starts from the id of an order, saga, payment, webhook, statement line (`run/line`), message, file row or case of the caller's organisation and follows all links. `isComplete` is false if there are more than one request follows.
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
                /** @description Type of the object: order, saga, payment, webhook, statement line, message, file row … */
                kind: string
                /** @description Outbox that has a message with this id; null without the permission `operate` */
                outbox: string | null
                title: string
                /** @description Path of its dashboard page */
                to: string
                /** @description Why the object waits now; null if it does not wait, or without the permission `operate` */
                why: string | null
              }[]
              timeline: {
                /**
                 * Format: date-time
                 * @description Real time of the event
                 */
                at: string
                /** @description Id of the object */
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
          /** @description `nextCursor` of the previous page */
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
                /** @description Type of the object, such as payment; or organisation */
                kind: string
                /** Format: date-time */
                placedAt: string
                placedBy: string
                reason: string
                releasedAt: string | null
                releasedBy: string | null
                releaseReason: string | null
                /** @description Id of the object */
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
     * Exempt the organisation or one of its objects from retention and erasure
     * @description If an equal hold is already open, it is returned with 200.
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
            /** @description Id of the object */
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
              /** @description Type of the object, such as payment; or organisation */
              kind: string
              /** Format: date-time */
              placedAt: string
              placedBy: string
              reason: string
              releasedAt: string | null
              releasedBy: string | null
              releaseReason: string | null
              /** @description Id of the object */
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
              /** @description Type of the object, such as payment; or organisation */
              kind: string
              /** Format: date-time */
              placedAt: string
              placedBy: string
              reason: string
              releasedAt: string | null
              releasedBy: string | null
              releaseReason: string | null
              /** @description Id of the object */
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
              /** @description Type of the object, such as payment; or organisation */
              kind: string
              /** Format: date-time */
              placedAt: string
              placedBy: string
              reason: string
              releasedAt: string | null
              releasedBy: string | null
              releaseReason: string | null
              /** @description Id of the object */
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
                /** @description What the permission allows */
                about: string
                /** @description Whether the caller has this permission */
                allowed: boolean
                name: string
                /** @description Roles with this permission */
                roles: (
                  'viewer' | 'clerk' | 'member' | 'approver' | 'admin' | 'operator' | 'platform'
                )[]
              }[]
              /** @description Permissions of a portal token; null for users */
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
     * @description Outboxes without the column that a filter needs return no messages.
     */
    get: {
      parameters: {
        query?: {
          /** @description Error code of the last failure */
          code?: string
          /** @description `nextCursor` of the previous page */
          cursor?: string
          /** @description Text to find in the last failure; reads every row, so it can be slow */
          error?: string
          id?: string
          key?: string
          limit?: number
          outbox?: string
          /** @description Text to find in the row; reads every row, so it can be slow */
          search?: string
          since?: string
          /** @description Field to sort by; `-` before it sorts in descending order */
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
                /** @description Attempts made, including the successful one */
                attempts: number
                claimedUntil: string | null
                createdAt: string | null
                dueAt: string | null
                error: string | null
                errorCode: string | null
                held: boolean
                id: string
                key: string | null
                /** @description Label from the definition, such as the case, order or recipient */
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
                /** @description Public part of the address */
                shown: string
                /** @description Organisation whose incidents the channel receives; null for all */
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
              /** @description Public part of the address */
              shown: string
              /** @description Organisation whose incidents the channel receives; null for all */
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
          /** @description `nextCursor` of the previous page */
          cursor?: string
          limit?: number
          /** @description Field to sort by; `-` before it sorts in descending order */
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
            /** @description Amount in minor units */
            amount: number
            /** @description ISO 4217 */
            currency: string
            /** @description true: the order waits for the signal `release` before its first step */
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
                /** @description Id of the account; `whatsapp` and `email` are the accounts in the server's settings */
                id: string
                /** @description True for an account in the server's settings, shared by all organisations */
                isDefault: boolean
                name: string
                /** @description Last ten notices of WhatsApp about the account; only the platform sees those of default accounts */
                notices: {
                  detail: string | null
                  /** @description Name of the event at WhatsApp */
                  event: string
                  /** @description Field of the webhook, such as account_update or errors */
                  field: string
                  /** Format: date-time */
                  saidAt: string
                  /** @description Template or phone number */
                  subject: string | null
                }[]
                phoneNumberIds: string[]
                stops: {
                  code: string
                  /** Format: date-time */
                  nextProbeAt: string
                  /** @description Number that is stopped; null for all numbers */
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
            /** @description Meta's id of the WhatsApp business account; needed to import its templates */
            businessAccountId?: string
            name: string
            /** @description Meta's ids of the phone numbers to send from */
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
              /** @description Id of the account; `whatsapp` and `email` are the accounts in the server's settings */
              id: string
              /** @description True for an account in the server's settings, shared by all organisations */
              isDefault: boolean
              name: string
              /** @description Last ten notices of WhatsApp about the account; only the platform sees those of default accounts */
              notices: {
                detail: string | null
                /** @description Name of the event at WhatsApp */
                event: string
                /** @description Field of the webhook, such as account_update or errors */
                field: string
                /** Format: date-time */
                saidAt: string
                /** @description Template or phone number */
                subject: string | null
              }[]
              phoneNumberIds: string[]
              stops: {
                code: string
                /** Format: date-time */
                nextProbeAt: string
                /** @description Number that is stopped; null for all numbers */
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
            /** @description Meta's id of the WhatsApp business account; needed to import its templates */
            businessAccountId?: string
            name?: string
            /** @description Meta's ids of the phone numbers to send from */
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
              /** @description Id of the account; `whatsapp` and `email` are the accounts in the server's settings */
              id: string
              /** @description True for an account in the server's settings, shared by all organisations */
              isDefault: boolean
              name: string
              /** @description Last ten notices of WhatsApp about the account; only the platform sees those of default accounts */
              notices: {
                detail: string | null
                /** @description Name of the event at WhatsApp */
                event: string
                /** @description Field of the webhook, such as account_update or errors */
                field: string
                /** Format: date-time */
                saidAt: string
                /** @description Template or phone number */
                subject: string | null
              }[]
              phoneNumberIds: string[]
              stops: {
                code: string
                /** Format: date-time */
                nextProbeAt: string
                /** @description Number that is stopped; null for all numbers */
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
          /** @description `nextCursor` of the previous page */
          cursor?: string
          dossierId?: string
          errorCode?: string
          limit?: number
          /** @description Only items created at this time or later */
          since?: string
          /** @description Field to sort by; `-` before it sorts in descending order */
          sort?: '-createdAt' | 'createdAt'
          status?: 'QUEUED' | 'SENDING' | 'SENT' | 'DELIVERED' | 'FAILED' | 'CANCELLED'
          templateCode?: string
          to?: string
          /** @description Only items created before this time */
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
                /** @description True if the provider did not answer: the message may have been sent */
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
             * @description Account that sends the message; default: the oldest account of the organisation, or the server's if it has none
             */
            accountId?: string
            /** @description `whatsapp` or `email` */
            channel: string
            dossierId?: string
            /** @default 5 */
            maxAttempts?: number
            /** @description whatsapp: `{language, parameters}`, for registered templates also `header` and `buttons`; email: `{subject, text}` */
            payloadJson: {
              [key: string]: unknown
            }
            /**
             * @description Urgent messages are sent before normal ones; default: urgent for registered authentication templates, else normal
             * @enum {unknown}
             */
            priority?: 'normal' | 'urgent'
            /**
             * Format: date-time
             * @description Earliest time to send, up to 90 days ahead; consent is checked again at that time
             */
            sendAt?: string
            /** @description Code of the template; required for whatsapp */
            templateCode?: string
            /** @description Phone number such as +16505551234, or email address */
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
              /** @description True if the provider did not answer: the message may have been sent */
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
              /** @description True if the provider did not answer: the message may have been sent */
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
              /** @description True if the provider did not answer: the message may have been sent */
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
          /** @description `nextCursor` of the previous page */
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
          /** @description `nextCursor` of the previous page */
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
              /** @description True if the provider did not answer: the message may have been sent */
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
              /** @description True if the provider did not answer: the message may have been sent */
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
     * @description Default: the last 24 hours; at most 31 days. Times are the provider's. Of more than 100,000 messages only the newest are counted.
     */
    get: {
      parameters: {
        query?: {
          /** @description Only messages sent by this account */
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
              /** @description Error codes of failed messages, most frequent first */
              errors: {
                code: string
                count: number
              }[]
              points: {
                /**
                 * Format: date-time
                 * @description Start of the period
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
          /** @description `nextCursor` of the previous page */
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
                /** @description Components in the format of the WhatsApp Cloud API */
                components: unknown[]
                /** Format: date-time */
                createdAt: string
                language: string
                name: string
                /** @description Parameters that a message must include */
                parameters: {
                  body: string[]
                  buttons: ('url' | 'copy_code' | 'otp')[]
                  header: ('text' | 'image' | 'video' | 'document') | null
                }
                /** @description Status at Meta; only APPROVED templates are sent */
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
              /** @description Components in the format of the WhatsApp Cloud API */
              components: unknown[]
              /** Format: date-time */
              createdAt: string
              language: string
              name: string
              /** @description Parameters that a message must include */
              parameters: {
                body: string[]
                buttons: ('url' | 'copy_code' | 'otp')[]
                header: ('text' | 'image' | 'video' | 'document') | null
              }
              /** @description Status at Meta; only APPROVED templates are sent */
              status: string
              /** Format: date-time */
              updatedAt: string
            }
          }
        }
      }
    }
    /** Register or change a template; messages that use it are checked when queued */
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
              /** @description Components in the format of the WhatsApp Cloud API */
              components: unknown[]
              /** Format: date-time */
              createdAt: string
              language: string
              name: string
              /** @description Parameters that a message must include */
              parameters: {
                body: string[]
                buttons: ('url' | 'copy_code' | 'otp')[]
                header: ('text' | 'image' | 'video' | 'document') | null
              }
              /** @description Status at Meta; only APPROVED templates are sent */
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
              /** @description Components in the format of the WhatsApp Cloud API */
              components: unknown[]
              /** Format: date-time */
              createdAt: string
              language: string
              name: string
              /** @description Parameters that a message must include */
              parameters: {
                body: string[]
                buttons: ('url' | 'copy_code' | 'otp')[]
                header: ('text' | 'image' | 'video' | 'document') | null
              }
              /** @description Status at Meta; only APPROVED templates are sent */
              status: string
              /** Format: date-time */
              updatedAt: string
            }
          }
        }
      }
    }
    post?: never
    /** Remove a template; messages that use it are no longer checked */
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
             * @description Account to import from; default: the server's, which needs WHATSAPP_BUSINESS_ACCOUNT_ID
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
              /** @description Templates not imported, because their form is not supported */
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
    /** Outboxes with counts and rates; operators of one organisation get its figures only */
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
                /** @description True if the table is large: counts of finished states and large counts are estimates. For one organisation at most 10,000 messages are counted, or none if the count takes too long */
                approximate: boolean
                /** @description Figure of all organisations; null for an operator of one organisation */
                attemptsPerSecond: number | null
                /** @description Figure of all organisations; null for an operator of one organisation */
                blockedKeys: number | null
                counts: {
                  [key: string]: number
                }
                /** @description When the message that has been dead longest died; null without dead messages */
                deadSince: string | null
                /** @description Messages due by the business clock */
                due: number
                /** @description Figure of all organisations; null for an operator of one organisation */
                failureRate: number | null
                /** @description Figure of all organisations; null for an operator of one organisation */
                heldKeys: number | null
                name: string
                oldestDueSeconds: number
                /** @description Age in seconds, in real time, of the oldest message that is due or was attempted */
                oldestUndeliveredSeconds: number
                paused: boolean
                pausedAt: string | null
                pausedBy: string | null
                pauseReason: string | null
                /** @description Figure of all organisations; null for an operator of one organisation */
                perSecond: number | null
                /** @description Messages claimed but not attempted: breaker open, destination busy or limit reached */
                postponed: number
                /** @description Figure of all organisations; null for an operator of one organisation */
                quarantined: number | null
                relays: number
                /** @description Messages waiting for another attempt after a failure */
                retrying: number
                /** @description This outbox's state names for each role */
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
                /** @description Messages due later that no relay has claimed yet */
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
              /** @description True if the table is large: counts of finished states and large counts are estimates. For one organisation at most 10,000 messages are counted, or none if the count takes too long */
              approximate: boolean
              /** @description Figure of all organisations; null for an operator of one organisation */
              attemptsPerSecond: number | null
              /** @description Figure of all organisations; null for an operator of one organisation */
              blockedKeys: number | null
              counts: {
                [key: string]: number
              }
              /** @description When the message that has been dead longest died; null without dead messages */
              deadSince: string | null
              definition: {
                [key: string]: unknown
              }
              /** @description Messages due by the business clock */
              due: number
              /** @description Figure of all organisations; null for an operator of one organisation */
              failureRate: number | null
              /** @description Figure of all organisations; null for an operator of one organisation */
              heldKeys: number | null
              name: string
              oldestDueSeconds: number
              /** @description Age in seconds, in real time, of the oldest message that is due or was attempted */
              oldestUndeliveredSeconds: number
              paused: boolean
              pausedAt: string | null
              pausedBy: string | null
              pauseReason: string | null
              /** @description Figure of all organisations; null for an operator of one organisation */
              perSecond: number | null
              /** @description Messages claimed but not attempted: breaker open, destination busy or limit reached */
              postponed: number
              /** @description Figure of all organisations; null for an operator of one organisation */
              quarantined: number | null
              relays: number
              /** @description Messages waiting for another attempt after a failure */
              retrying: number
              /** @description This outbox's state names for each role */
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
              /** @description Messages due later that no relay has claimed yet */
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
                /** @description Destinations of these messages, most messages first; empty if there are too many */
                destinations: {
                  count: number
                  destination: string
                  /** @description Readable name of the destination, such as the URL of an endpoint */
                  name: string | null
                }[]
                /** @description Error of one of these messages */
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
                /** @description State before the move; null for the creation of a message */
                from: string | null
                /** @description Causes of the move; empty if no definition has this move */
                moves: string[]
                /** @description Recent moves per minute; null if the outbox does not record them */
                perMinute: number | null
                to: string
              }[]
              /** @description Period of the rates, in seconds */
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
    /** Keys held back: blocked by a dead message, or waiting for a retry */
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
                /** @description Id of the message that holds the key back, or the reason */
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
    /** Unblock a key, so that the messages behind its dead message are sent */
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
          /** @description Error code of the last failure */
          code?: string
          /** @description `nextCursor` of the previous page */
          cursor?: string
          /** @description Text to find in the last failure; reads every row, so it can be slow */
          error?: string
          id?: string
          key?: string
          limit?: number
          /** @description Text to find in the row; reads every row, so it can be slow */
          search?: string
          since?: string
          /** @description Field to sort by; `-` before it sorts in descending order */
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
                /** @description Attempts made, including the successful one */
                attempts: number
                claimedUntil: string | null
                createdAt: string | null
                dueAt: string | null
                error: string | null
                errorCode: string | null
                held: boolean
                id: string
                key: string | null
                /** @description Label from the definition, such as the case, order or recipient */
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
              /** @description Attempts made, including the successful one */
              attempts: number
              claimedUntil: string | null
              createdAt: string | null
              dueAt: string | null
              /** @description How the payload is stored; `revealed`: stored encrypted, shown decrypted here */
              encryption: 'none' | 'encrypted' | 'erased' | 'revealed'
              error: string | null
              errorCode: string | null
              held: boolean
              id: string
              key: string | null
              /** @description Label from the definition, such as the case, order or recipient */
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
     * The timeline of a message: transaction, outbox, topic, inboxes and other messages of its trace
     * @description `isComplete` is false if the search for messages of the same trace took too long.
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
    /** Replay a dead message, with zero attempts */
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
    /** A message with its payload decrypted; the audit records who asked and why */
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
              /** @description Attempts made, including the successful one */
              attempts: number
              claimedUntil: string | null
              createdAt: string | null
              dueAt: string | null
              /** @description How the payload is stored; `revealed`: stored encrypted, shown decrypted here */
              encryption: 'none' | 'encrypted' | 'erased' | 'revealed'
              error: string | null
              errorCode: string | null
              held: boolean
              id: string
              key: string | null
              /** @description Label from the definition, such as the case, order or recipient */
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
    /** Pause an outbox: relays stop claiming in every process; messages in flight finish */
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
                /** @description The rule in words, such as `every day at 06:00, Europe/Zurich` */
                inWords: string
                lastAt: string | null
                lastMessage: string | null
                /** @description What happens to times missed while no relay ran */
                missed: 'latest' | 'all' | 'skip' | null
                name: string
                nextAt: string | null
                /** @description True if it has been due for more than a minute and is not paused */
                overdue: boolean
                pausedAt: string | null
                pausedBy: string | null
                pauseReason: string | null
                /** @description Schedule, such as `every 30s` or `cron 0 6 * * * Europe/Zurich` */
                rule: string
                /** @description When an operator last ran it; null if never */
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
    /** Pause a recurring message in every process; a running enqueue finishes first */
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
              /** @description False if it was already in this state */
              changed: boolean
              recurring: {
                enqueued: number
                error: string | null
                /** @description The rule in words, such as `every day at 06:00, Europe/Zurich` */
                inWords: string
                lastAt: string | null
                lastMessage: string | null
                /** @description What happens to times missed while no relay ran */
                missed: 'latest' | 'all' | 'skip' | null
                name: string
                nextAt: string | null
                /** @description True if it has been due for more than a minute and is not paused */
                overdue: boolean
                pausedAt: string | null
                pausedBy: string | null
                pauseReason: string | null
                /** @description Schedule, such as `every 30s` or `cron 0 6 * * * Europe/Zurich` */
                rule: string
                /** @description When an operator last ran it; null if never */
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
    /** Resume a recurring message; its definition decides whether missed times are made up for */
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
             * @description skip: do not make up for the times missed during the pause
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
              /** @description False if it was already in this state */
              changed: boolean
              recurring: {
                enqueued: number
                error: string | null
                /** @description The rule in words, such as `every day at 06:00, Europe/Zurich` */
                inWords: string
                lastAt: string | null
                lastMessage: string | null
                /** @description What happens to times missed while no relay ran */
                missed: 'latest' | 'all' | 'skip' | null
                name: string
                nextAt: string | null
                /** @description True if it has been due for more than a minute and is not paused */
                overdue: boolean
                pausedAt: string | null
                pausedBy: string | null
                pauseReason: string | null
                /** @description Schedule, such as `every 30s` or `cron 0 6 * * * Europe/Zurich` */
                rule: string
                /** @description When an operator last ran it; null if never */
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
            /** @description The `runAt` that you last read; 409 if another operator has run it since */
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
              /** @description False if the dedupe key already had this message */
              created: boolean
              /** @description Id of the message */
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
              /** @description Number of messages in this call */
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
    /** The latest replays with their progress, newest first */
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
                /** @description Replayed messages that died again; these end the replay */
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
                /** @description Messages that matched when the replay started */
                matched: number
                outbox: string
                perSecond: number | null
                reason: string | null
                /** @description Messages replayed so far */
                replayed: number
                /** Format: date-time */
                startedAt: string
                state: 'running' | 'done' | 'stopped'
                /** @description Number of messages to replay */
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
              /** @description Replayed messages that died again; these end the replay */
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
              /** @description Messages that matched when the replay started */
              matched: number
              outbox: string
              perSecond: number | null
              reason: string | null
              /** @description Messages replayed so far */
              replayed: number
              /** Format: date-time */
              startedAt: string
              state: 'running' | 'done' | 'stopped'
              /** @description Number of messages to replay */
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
              /** @description Replayed messages that died again; these end the replay */
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
              /** @description Messages that matched when the replay started */
              matched: number
              outbox: string
              perSecond: number | null
              reason: string | null
              /** @description Messages replayed so far */
              replayed: number
              /** Format: date-time */
              startedAt: string
              state: 'running' | 'done' | 'stopped'
              /** @description Number of messages to replay */
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
              /** @description Replayed messages that died again; these end the replay */
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
              /** @description Messages that matched when the replay started */
              matched: number
              outbox: string
              perSecond: number | null
              reason: string | null
              /** @description Messages replayed so far */
              replayed: number
              /** Format: date-time */
              startedAt: string
              state: 'running' | 'done' | 'stopped'
              /** @description Number of messages to replay */
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
                /** @description Open problems, one entry per cause, oldest first */
                causes: {
                  code: string
                  destination: string | null
                  /** @description Text of the newest alert */
                  detail: string
                  name: string | null
                  /** @description Unacknowledged alerts */
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
                /** @description Unacknowledged messages of the group; null before the first sample */
                lag: number | null
                oldestDeadAt: string | null
                /** @description Messages set aside behind a failed message of the same key */
                parked: number
                /** @description Messages set aside until their next attempt */
                retrying: number
                sampledAt: string | null
                topic: string
                transport: string | null
              }[]
              /** @description Destinations that failed to answer in the last minute, worst first; at most 20 */
              failing: {
                answered: number
                destination: string
                name: string | null
                outbox: string
                unanswered: number
              }[]
              outboxes: {
                /** @description Relays with a heartbeat in the last 15 seconds, with its figures */
                alive: {
                  /** @description 95th percentile of claim times in the last minute, in milliseconds; null without claims */
                  claimMs: number | null
                  /** @description Messages claimed and not yet settled */
                  inFlight: number
                  /** @description Longest time that the event loop was blocked in the last minute, in milliseconds */
                  lagMs: number
                  name: string
                  /** Format: date-time */
                  seenAt: string
                  /** @description Messages settled in the last minute */
                  settledPerMinute: number
                  /** @description 95th percentile of settlement times in the last minute, in milliseconds; null without settlements */
                  settleMs: number | null
                  /** Format: date-time */
                  startedAt: string
                  version: string | null
                }[]
                /** @description True if the table is large: counts of finished states and large counts are estimates. For one organisation at most 10,000 messages are counted, or none if the count takes too long */
                approximate: boolean
                /** @description Attempts per second in the last minute, successful or not */
                attemptsPerSecond: number
                blockedKeys: number
                /** @description Destinations with an open breaker */
                breakers: {
                  /** @description Last failure before the breaker opened */
                  cause: {
                    code: string
                    message: string
                  } | null
                  destination: string
                  /** @description Readable name of the destination, such as the URL of an endpoint */
                  name: string | null
                  nextProbeAt: string | null
                  /** Format: date-time */
                  openSince: string
                  relay: string
                }[]
                counts: {
                  [key: string]: number
                }
                /** @description When the message that has been dead longest died; null without dead messages */
                deadSince: string | null
                /** @description Seconds until all due messages are delivered at the rate of the last minute; null without deliveries */
                drainSeconds: number | null
                /** @description Messages due by the business clock */
                due: number
                /** @description Share of failed attempts in the last minute, from 0 to 1 */
                failureRate: number
                heldKeys: number
                name: string
                oldestDueSeconds: number
                /** @description Age in seconds, in real time, of the oldest message that is due or was attempted */
                oldestUndeliveredSeconds: number
                openAlerts: number
                paused: boolean
                pausedAt: string | null
                pausedBy: string | null
                pauseReason: string | null
                /** @description Messages delivered per second in the last minute */
                perSecond: number
                /** @description Messages claimed but not attempted: breaker open, destination busy or limit reached */
                postponed: number
                quarantined: number
                relays: number
                /** @description Messages waiting for another attempt after a failure */
                retrying: number
                /** @description This outbox's state names for each role */
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
                /** @description Messages due later that no relay has claimed yet */
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
     * @description Periods of one minute for up to three hours, ten minutes beyond; the last one is the current one. Counts of waiting messages are the maximum of each period, null if no relay counted them.
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
                  /** @description Failed attempts */
                  failed: number
                  lost: number
                  oldestDueSeconds: number | null
                  oldestUndeliveredSeconds: number | null
                  /** @description Messages claimed but not attempted */
                  postponed: number
                  retrying: number | null
                  /** @description Length of the period in seconds; the current period is incomplete */
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
          /** @description Amount in minor units */
          amount?: number
          /** @description Amount in minor units */
          amountFrom?: number
          /** @description Amount in minor units */
          amountTo?: number
          currency?: string
          /** @description `nextCursor` of the previous page */
          cursor?: string
          /** @description true: only payments with a dispute, open or closed; false: only payments without one */
          disputed?: boolean
          externalPaymentId?: string
          gatewayRef?: string
          limit?: number
          /** @description Only items created at this time or later */
          since?: string
          /** @description Field to sort by; `-` before it sorts in descending order */
          sort?: '-createdAt' | 'createdAt' | '-amount' | 'amount'
          status?: 'pending' | 'succeeded' | 'failed' | 'refunded'
          /** @description Only items created before this time */
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
                /** @description Amount in minor units */
                amount: number
                /** @description State of the authorisation, for manual capture; null until the gateway has answered */
                authorisation: ('authorised' | 'captured' | 'voided' | 'expired') | null
                /** @enum {unknown} */
                capture: 'automatic' | 'manual'
                /** @description Captured amount in minor units */
                capturedAmount: number | null
                createdAt: string
                currency: string
                description: string | null
                /** @description Amount of open and lost disputes in minor units; inquiries do not count */
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
                /** @description Captured amount less refunds and disputes, in minor units; may be negative */
                netAmount: number
                /** @description What the customer must do next; a list has only its type */
                nextAction: {
                  /** @description For `sdk`: the secret to pass to the gateway's client library */
                  clientSecret?: string
                  /** @enum {unknown} */
                  type: 'redirect' | 'sdk'
                  /** @description For `redirect`: the URL to send the customer to */
                  url?: string
                } | null
                paymentMethod: string | null
                /** @description Amount refunded and confirmed by the gateway, in minor units */
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
          /** @description Unique key of your choice. For 24 hours, repeating the request on this route with this key returns the first answer */
          'idempotency-key': string
        }
        path?: never
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            /** @description Amount in minor units */
            amount: number
            /**
             * @description `automatic` (default) takes the money at once; `manual` holds it until you capture or void it
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
            /** @description Id of the payment method at the gateway, such as pm_card_visa */
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
              /** @description Amount in minor units */
              amount: number
              /** @description State of the authorisation, for manual capture; null until the gateway has answered */
              authorisation?: ('authorised' | 'captured' | 'voided' | 'expired') | null
              /** @description Captured amount in minor units */
              capturedAmount?: number | null
              createdAt: string
              currency: string
              externalPaymentId: string | null
              gatewayRef: string | null
              /** Format: uuid */
              id: string
              /** @description What the customer must do to authenticate; the gateway's webhook reports the result */
              nextAction?: {
                /** @description For `sdk`: the secret to pass to the gateway's client library */
                clientSecret?: string
                /** @enum {unknown} */
                type: 'redirect' | 'sdk'
                /** @description For `redirect`: the URL to send the customer to */
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
              /** @description Amount in minor units */
              amount: number
              /** @description State of the authorisation, for manual capture; null until the gateway has answered */
              authorisation?: ('authorised' | 'captured' | 'voided' | 'expired') | null
              /** @description Captured amount in minor units */
              capturedAmount?: number | null
              createdAt: string
              currency: string
              externalPaymentId: string | null
              gatewayRef: string | null
              /** Format: uuid */
              id: string
              /** @description What the customer must do to authenticate; the gateway's webhook reports the result */
              nextAction?: {
                /** @description For `sdk`: the secret to pass to the gateway's client library */
                clientSecret?: string
                /** @enum {unknown} */
                type: 'redirect' | 'sdk'
                /** @description For `redirect`: the URL to send the customer to */
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
              /** @description Amount in minor units */
              amount: number
              /** @description State of the authorisation, for manual capture; null until the gateway has answered */
              authorisation: ('authorised' | 'captured' | 'voided' | 'expired') | null
              /** @enum {unknown} */
              capture: 'automatic' | 'manual'
              /** @description Captured amount in minor units */
              capturedAmount: number | null
              createdAt: string
              currency: string
              description: string | null
              /** @description Amount of open and lost disputes in minor units; inquiries do not count */
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
              /** @description Captured amount less refunds and disputes, in minor units; may be negative */
              netAmount: number
              /** @description What the customer must do next; a list has only its type */
              nextAction: {
                /** @description For `sdk`: the secret to pass to the gateway's client library */
                clientSecret?: string
                /** @enum {unknown} */
                type: 'redirect' | 'sdk'
                /** @description For `redirect`: the URL to send the customer to */
                url?: string
              } | null
              paymentMethod: string | null
              /** @description Amount refunded and confirmed by the gateway, in minor units */
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
     * @description Given fields are set, or removed if null; all others stay. Use it, for example, to add the payout of a payment later.
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
              /** @description Amount in minor units */
              amount: number
              /** @description State of the authorisation, for manual capture; null until the gateway has answered */
              authorisation: ('authorised' | 'captured' | 'voided' | 'expired') | null
              /** @enum {unknown} */
              capture: 'automatic' | 'manual'
              /** @description Captured amount in minor units */
              capturedAmount: number | null
              createdAt: string
              currency: string
              description: string | null
              /** @description Amount of open and lost disputes in minor units; inquiries do not count */
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
              /** @description Captured amount less refunds and disputes, in minor units; may be negative */
              netAmount: number
              /** @description What the customer must do next; a list has only its type */
              nextAction: {
                /** @description For `sdk`: the secret to pass to the gateway's client library */
                clientSecret?: string
                /** @enum {unknown} */
                type: 'redirect' | 'sdk'
                /** @description For `redirect`: the URL to send the customer to */
                url?: string
              } | null
              paymentMethod: string | null
              /** @description Amount refunded and confirmed by the gateway, in minor units */
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
          /** @description `nextCursor` of the previous page */
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
     * Capture an authorisation or a part of it; the rest is released
     * @description Above the organisation's limit for approvals it becomes a proposal (202), carried out when another user approves it.
     */
    post: {
      parameters: {
        query?: never
        header?: {
          /** @description Unique key of your choice. For 24 hours, repeating the request on this route with this key returns the first answer */
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
            /** @description Amount in minor units; default: all that is authorised */
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
              /** @description Amount in minor units */
              amount: number
              /** @description State of the authorisation, for manual capture; null until the gateway has answered */
              authorisation?: ('authorised' | 'captured' | 'voided' | 'expired') | null
              /** @description Captured amount in minor units */
              capturedAmount?: number | null
              createdAt: string
              currency: string
              externalPaymentId: string | null
              gatewayRef: string | null
              /** Format: uuid */
              id: string
              /** @description What the customer must do to authenticate; the gateway's webhook reports the result */
              nextAction?: {
                /** @description For `sdk`: the secret to pass to the gateway's client library */
                clientSecret?: string
                /** @enum {unknown} */
                type: 'redirect' | 'sdk'
                /** @description For `redirect`: the URL to send the customer to */
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
              /** @description Amount in minor units */
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
              /** @description Id of the payment or run, `run/line` of a record, or `limits` */
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
                /** @description Id of the dispute at the gateway */
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
    /** The refunds of a payment, oldest first */
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
                /** @description When the gateway's webhook confirmed the refund */
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
                 * @description `pending` until the gateway's webhook reports the outcome
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
     * Refund an amount of a payment, or all that is left
     * @description Above the organisation's limit for approvals it becomes a proposal (202), carried out when another user approves it.
     */
    post: {
      parameters: {
        query?: never
        header?: {
          /** @description Unique key of your choice. For 24 hours, repeating the request on this route with this key returns the first answer */
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
            /** @description Amount in minor units; default: all that is left */
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
               * @description `pending` until the gateway's webhook reports the outcome
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
               * @description `pending` until the gateway's webhook reports the outcome
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
              /** @description Amount in minor units */
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
              /** @description Id of the payment or run, `run/line` of a record, or `limits` */
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
    /** A refund */
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
              /** @description When the gateway's webhook confirmed the refund */
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
               * @description `pending` until the gateway's webhook reports the outcome
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
    /** Requests to the gateway for a payment, oldest first */
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
                /** @description Idempotency key that Posthorn sends to the gateway */
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
     * @description Above the organisation's limit for approvals it becomes a proposal (202), carried out when another user approves it.
     */
    post: {
      parameters: {
        query?: never
        header?: {
          /** @description Unique key of your choice. For 24 hours, repeating the request on this route with this key returns the first answer */
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
              /** @description Amount in minor units */
              amount: number
              /** @description State of the authorisation, for manual capture; null until the gateway has answered */
              authorisation?: ('authorised' | 'captured' | 'voided' | 'expired') | null
              /** @description Captured amount in minor units */
              capturedAmount?: number | null
              createdAt: string
              currency: string
              externalPaymentId: string | null
              gatewayRef: string | null
              /** Format: uuid */
              id: string
              /** @description What the customer must do to authenticate; the gateway's webhook reports the result */
              nextAction?: {
                /** @description For `sdk`: the secret to pass to the gateway's client library */
                clientSecret?: string
                /** @enum {unknown} */
                type: 'redirect' | 'sdk'
                /** @description For `redirect`: the URL to send the customer to */
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
              /** @description Amount in minor units */
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
              /** @description Id of the payment or run, `run/line` of a record, or `limits` */
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
     * Create a short-lived token for an organisation's embedded portal
     * @description Call it from your server for a user who is logged in to your site, and embed `url` in a frame. The token gives access only to the webhook routes of its organisation. PORTAL_FRAME_ANCESTORS lists the origins that may embed the portal.
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
            /** @description Organisation of the portal; default: your own. Only platform operators may name another one */
            org?: string
            /** @description true: the portal can read but not change anything */
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
              /** @description URL to embed, with the token after `#`, which browsers do not send to the server */
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
          /** @description `nextCursor` of the previous page */
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
                   * @description For camt.053 and MT940, when balances do not tie out: `report` (default) loads the file with a warning, `require` refuses it
                   * @enum {unknown}
                   */
                  balances?: 'report' | 'require'
                  /** @description For camt.053: references to take the transaction id from; the first one present wins. Default `EndToEndId`, `TxId`, `InstrId`, `AcctSvcrRef`, `NtryRef` */
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
                  /** @description Currency of every row, if no column has it */
                  currency?: string
                  /**
                   * @description Date format, made of `yyyy`, `yy`, `MM`, `M`, `dd`, `d`, `HH`, `mm`, `ss` and separators
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
                   * @description Encoding; `latin1` is read as its superset windows-1252
                   * @default utf-8
                   * @enum {unknown}
                   */
                  encoding: 'utf-8' | 'windows-1252' | 'latin1'
                  /**
                   * @description File format; default: detected. The rules for columns apply to `csv` only
                   * @enum {unknown}
                   */
                  format?: 'csv' | 'camt.053' | 'mt940'
                  /**
                   * @description Number of the line with the column names; null: none
                   * @default 1
                   */
                  headerLine: number | null
                  /** @description For MT940: references to take the transaction id from, `customer` and `bank` in field 61, the others in field 86; the first one present wins. Default `EREF`, `customer`, `KREF`, `bank` */
                  mt940References?: ('EREF' | 'KREF' | 'MREF' | 'customer' | 'bank')[]
                  /**
                   * @description How a row shows its sign: `signed` in the column `amount`; `debit-credit` by the column that has the amount; `flag` in the column `flag`
                   * @default signed
                   * @enum {unknown}
                   */
                  sign: 'signed' | 'debit-credit' | 'flag'
                  /** @description For camt.053 and MT940: pattern of a word in the remittance text to use as transaction id, before any reference. `#` is a digit, `*` any letters and digits, as in `INV-####` */
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
            /** @description Name of the profile, such as the bank */
            name: string
            rules: {
              /**
               * @description For camt.053 and MT940, when balances do not tie out: `report` (default) loads the file with a warning, `require` refuses it
               * @enum {unknown}
               */
              balances?: 'report' | 'require'
              /** @description For camt.053: references to take the transaction id from; the first one present wins. Default `EndToEndId`, `TxId`, `InstrId`, `AcctSvcrRef`, `NtryRef` */
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
              /** @description Currency of every row, if no column has it */
              currency?: string
              /**
               * @description Date format, made of `yyyy`, `yy`, `MM`, `M`, `dd`, `d`, `HH`, `mm`, `ss` and separators
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
               * @description Encoding; `latin1` is read as its superset windows-1252
               * @default utf-8
               * @enum {unknown}
               */
              encoding: 'utf-8' | 'windows-1252' | 'latin1'
              /**
               * @description File format; default: detected. The rules for columns apply to `csv` only
               * @enum {unknown}
               */
              format?: 'csv' | 'camt.053' | 'mt940'
              /**
               * @description Number of the line with the column names; null: none
               * @default 1
               */
              headerLine: number | null
              /** @description For MT940: references to take the transaction id from, `customer` and `bank` in field 61, the others in field 86; the first one present wins. Default `EREF`, `customer`, `KREF`, `bank` */
              mt940References?: ('EREF' | 'KREF' | 'MREF' | 'customer' | 'bank')[]
              /**
               * @description How a row shows its sign: `signed` in the column `amount`; `debit-credit` by the column that has the amount; `flag` in the column `flag`
               * @default signed
               * @enum {unknown}
               */
              sign: 'signed' | 'debit-credit' | 'flag'
              /** @description For camt.053 and MT940: pattern of a word in the remittance text to use as transaction id, before any reference. `#` is a digit, `*` any letters and digits, as in `INV-####` */
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
                 * @description For camt.053 and MT940, when balances do not tie out: `report` (default) loads the file with a warning, `require` refuses it
                 * @enum {unknown}
                 */
                balances?: 'report' | 'require'
                /** @description For camt.053: references to take the transaction id from; the first one present wins. Default `EndToEndId`, `TxId`, `InstrId`, `AcctSvcrRef`, `NtryRef` */
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
                /** @description Currency of every row, if no column has it */
                currency?: string
                /**
                 * @description Date format, made of `yyyy`, `yy`, `MM`, `M`, `dd`, `d`, `HH`, `mm`, `ss` and separators
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
                 * @description Encoding; `latin1` is read as its superset windows-1252
                 * @default utf-8
                 * @enum {unknown}
                 */
                encoding: 'utf-8' | 'windows-1252' | 'latin1'
                /**
                 * @description File format; default: detected. The rules for columns apply to `csv` only
                 * @enum {unknown}
                 */
                format?: 'csv' | 'camt.053' | 'mt940'
                /**
                 * @description Number of the line with the column names; null: none
                 * @default 1
                 */
                headerLine: number | null
                /** @description For MT940: references to take the transaction id from, `customer` and `bank` in field 61, the others in field 86; the first one present wins. Default `EREF`, `customer`, `KREF`, `bank` */
                mt940References?: ('EREF' | 'KREF' | 'MREF' | 'customer' | 'bank')[]
                /**
                 * @description How a row shows its sign: `signed` in the column `amount`; `debit-credit` by the column that has the amount; `flag` in the column `flag`
                 * @default signed
                 * @enum {unknown}
                 */
                sign: 'signed' | 'debit-credit' | 'flag'
                /** @description For camt.053 and MT940: pattern of a word in the remittance text to use as transaction id, before any reference. `#` is a digit, `*` any letters and digits, as in `INV-####` */
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
                 * @description For camt.053 and MT940, when balances do not tie out: `report` (default) loads the file with a warning, `require` refuses it
                 * @enum {unknown}
                 */
                balances?: 'report' | 'require'
                /** @description For camt.053: references to take the transaction id from; the first one present wins. Default `EndToEndId`, `TxId`, `InstrId`, `AcctSvcrRef`, `NtryRef` */
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
                /** @description Currency of every row, if no column has it */
                currency?: string
                /**
                 * @description Date format, made of `yyyy`, `yy`, `MM`, `M`, `dd`, `d`, `HH`, `mm`, `ss` and separators
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
                 * @description Encoding; `latin1` is read as its superset windows-1252
                 * @default utf-8
                 * @enum {unknown}
                 */
                encoding: 'utf-8' | 'windows-1252' | 'latin1'
                /**
                 * @description File format; default: detected. The rules for columns apply to `csv` only
                 * @enum {unknown}
                 */
                format?: 'csv' | 'camt.053' | 'mt940'
                /**
                 * @description Number of the line with the column names; null: none
                 * @default 1
                 */
                headerLine: number | null
                /** @description For MT940: references to take the transaction id from, `customer` and `bank` in field 61, the others in field 86; the first one present wins. Default `EREF`, `customer`, `KREF`, `bank` */
                mt940References?: ('EREF' | 'KREF' | 'MREF' | 'customer' | 'bank')[]
                /**
                 * @description How a row shows its sign: `signed` in the column `amount`; `debit-credit` by the column that has the amount; `flag` in the column `flag`
                 * @default signed
                 * @enum {unknown}
                 */
                sign: 'signed' | 'debit-credit' | 'flag'
                /** @description For camt.053 and MT940: pattern of a word in the remittance text to use as transaction id, before any reference. `#` is a digit, `*` any letters and digits, as in `INV-####` */
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
            /** @description Name of the profile, such as the bank */
            name?: string
            rules?: {
              /**
               * @description For camt.053 and MT940, when balances do not tie out: `report` (default) loads the file with a warning, `require` refuses it
               * @enum {unknown}
               */
              balances?: 'report' | 'require'
              /** @description For camt.053: references to take the transaction id from; the first one present wins. Default `EndToEndId`, `TxId`, `InstrId`, `AcctSvcrRef`, `NtryRef` */
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
              /** @description Currency of every row, if no column has it */
              currency?: string
              /**
               * @description Date format, made of `yyyy`, `yy`, `MM`, `M`, `dd`, `d`, `HH`, `mm`, `ss` and separators
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
               * @description Encoding; `latin1` is read as its superset windows-1252
               * @default utf-8
               * @enum {unknown}
               */
              encoding: 'utf-8' | 'windows-1252' | 'latin1'
              /**
               * @description File format; default: detected. The rules for columns apply to `csv` only
               * @enum {unknown}
               */
              format?: 'csv' | 'camt.053' | 'mt940'
              /**
               * @description Number of the line with the column names; null: none
               * @default 1
               */
              headerLine: number | null
              /** @description For MT940: references to take the transaction id from, `customer` and `bank` in field 61, the others in field 86; the first one present wins. Default `EREF`, `customer`, `KREF`, `bank` */
              mt940References?: ('EREF' | 'KREF' | 'MREF' | 'customer' | 'bank')[]
              /**
               * @description How a row shows its sign: `signed` in the column `amount`; `debit-credit` by the column that has the amount; `flag` in the column `flag`
               * @default signed
               * @enum {unknown}
               */
              sign: 'signed' | 'debit-credit' | 'flag'
              /** @description For camt.053 and MT940: pattern of a word in the remittance text to use as transaction id, before any reference. `#` is a digit, `*` any letters and digits, as in `INV-####` */
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
            /** @description Version that you read; 409 if there is a newer one */
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
                 * @description For camt.053 and MT940, when balances do not tie out: `report` (default) loads the file with a warning, `require` refuses it
                 * @enum {unknown}
                 */
                balances?: 'report' | 'require'
                /** @description For camt.053: references to take the transaction id from; the first one present wins. Default `EndToEndId`, `TxId`, `InstrId`, `AcctSvcrRef`, `NtryRef` */
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
                /** @description Currency of every row, if no column has it */
                currency?: string
                /**
                 * @description Date format, made of `yyyy`, `yy`, `MM`, `M`, `dd`, `d`, `HH`, `mm`, `ss` and separators
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
                 * @description Encoding; `latin1` is read as its superset windows-1252
                 * @default utf-8
                 * @enum {unknown}
                 */
                encoding: 'utf-8' | 'windows-1252' | 'latin1'
                /**
                 * @description File format; default: detected. The rules for columns apply to `csv` only
                 * @enum {unknown}
                 */
                format?: 'csv' | 'camt.053' | 'mt940'
                /**
                 * @description Number of the line with the column names; null: none
                 * @default 1
                 */
                headerLine: number | null
                /** @description For MT940: references to take the transaction id from, `customer` and `bank` in field 61, the others in field 86; the first one present wins. Default `EREF`, `customer`, `KREF`, `bank` */
                mt940References?: ('EREF' | 'KREF' | 'MREF' | 'customer' | 'bank')[]
                /**
                 * @description How a row shows its sign: `signed` in the column `amount`; `debit-credit` by the column that has the amount; `flag` in the column `flag`
                 * @default signed
                 * @enum {unknown}
                 */
                sign: 'signed' | 'debit-credit' | 'flag'
                /** @description For camt.053 and MT940: pattern of a word in the remittance text to use as transaction id, before any reference. `#` is a digit, `*` any letters and digits, as in `INV-####` */
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
                   * @description For camt.053 and MT940, when balances do not tie out: `report` (default) loads the file with a warning, `require` refuses it
                   * @enum {unknown}
                   */
                  balances?: 'report' | 'require'
                  /** @description For camt.053: references to take the transaction id from; the first one present wins. Default `EndToEndId`, `TxId`, `InstrId`, `AcctSvcrRef`, `NtryRef` */
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
                  /** @description Currency of every row, if no column has it */
                  currency?: string
                  /**
                   * @description Date format, made of `yyyy`, `yy`, `MM`, `M`, `dd`, `d`, `HH`, `mm`, `ss` and separators
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
                   * @description Encoding; `latin1` is read as its superset windows-1252
                   * @default utf-8
                   * @enum {unknown}
                   */
                  encoding: 'utf-8' | 'windows-1252' | 'latin1'
                  /**
                   * @description File format; default: detected. The rules for columns apply to `csv` only
                   * @enum {unknown}
                   */
                  format?: 'csv' | 'camt.053' | 'mt940'
                  /**
                   * @description Number of the line with the column names; null: none
                   * @default 1
                   */
                  headerLine: number | null
                  /** @description For MT940: references to take the transaction id from, `customer` and `bank` in field 61, the others in field 86; the first one present wins. Default `EREF`, `customer`, `KREF`, `bank` */
                  mt940References?: ('EREF' | 'KREF' | 'MREF' | 'customer' | 'bank')[]
                  /**
                   * @description How a row shows its sign: `signed` in the column `amount`; `debit-credit` by the column that has the amount; `flag` in the column `flag`
                   * @default signed
                   * @enum {unknown}
                   */
                  sign: 'signed' | 'debit-credit' | 'flag'
                  /** @description For camt.053 and MT940: pattern of a word in the remittance text to use as transaction id, before any reference. `#` is a digit, `*` any letters and digits, as in `INV-####` */
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
    /** Preview the beginning of a file with given rules; stores nothing */
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
            /** @description First bytes of the file in base64, up to 64 KiB */
            content: string
            /** Format: uuid */
            profile?: string
            rules?: {
              /**
               * @description For camt.053 and MT940, when balances do not tie out: `report` (default) loads the file with a warning, `require` refuses it
               * @enum {unknown}
               */
              balances?: 'report' | 'require'
              /** @description For camt.053: references to take the transaction id from; the first one present wins. Default `EndToEndId`, `TxId`, `InstrId`, `AcctSvcrRef`, `NtryRef` */
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
              /** @description Currency of every row, if no column has it */
              currency?: string
              /**
               * @description Date format, made of `yyyy`, `yy`, `MM`, `M`, `dd`, `d`, `HH`, `mm`, `ss` and separators
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
               * @description Encoding; `latin1` is read as its superset windows-1252
               * @default utf-8
               * @enum {unknown}
               */
              encoding: 'utf-8' | 'windows-1252' | 'latin1'
              /**
               * @description File format; default: detected. The rules for columns apply to `csv` only
               * @enum {unknown}
               */
              format?: 'csv' | 'camt.053' | 'mt940'
              /**
               * @description Number of the line with the column names; null: none
               * @default 1
               */
              headerLine: number | null
              /** @description For MT940: references to take the transaction id from, `customer` and `bank` in field 61, the others in field 86; the first one present wins. Default `EREF`, `customer`, `KREF`, `bank` */
              mt940References?: ('EREF' | 'KREF' | 'MREF' | 'customer' | 'bank')[]
              /**
               * @description How a row shows its sign: `signed` in the column `amount`; `debit-credit` by the column that has the amount; `flag` in the column `flag`
               * @default signed
               * @enum {unknown}
               */
              sign: 'signed' | 'debit-credit' | 'flag'
              /** @description For camt.053 and MT940: pattern of a word in the remittance text to use as transaction id, before any reference. `#` is a digit, `*` any letters and digits, as in `INV-####` */
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
              /** @description Errors of the whole file */
              errors: {
                field: string
                reason: string
              }[]
              /** @enum {unknown} */
              format: 'csv' | 'camt.053' | 'mt940'
              header: string[] | null
              /** @description First 20 rows, without the header */
              rows: {
                errors: {
                  field: string
                  reason: string
                }[]
                line: number
                record: {
                  /** @description Amount in minor units */
                  amount: number
                  currency: string
                  date: string
                  externalTransactionId: string
                } | null
                /** @description Values as in the file */
                values: string[]
              }[]
              /** @description Balances of a complete camt.053 or MT940 file */
              statements: {
                account: string | null
                /** @description Sum of the entries, in minor units */
                booked: string
                closing: string | null
                currency: string
                /** @description Closing balance less opening balance and entries, in minor units */
                difference: string | null
                entries: number
                firstLine: number | null
                /** @description First day of the statement */
                from: string | null
                lastLine: number | null
                /** @description Warning: statement numbers missing between the account's previously loaded statement and this one */
                missing: {
                  first: number
                  last: number
                } | null
                /** @description Position of the statement in the file, from 1 */
                number: number
                opening: string | null
                /** @description Why the balances do not tie out */
                reason: string | null
                /** @description Number of the statement in its account */
                sequence: number | null
                /** @description Id of the statement at the bank */
                statementId: string
                /** @description Whether opening balance and entries give the closing balance; null if the file lacks a balance */
                tiesOut: boolean | null
                /** @description Last day of the statement */
                to: string | null
              }[]
              /** @description True if the file continues after these bytes */
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
          /** @description `nextCursor` of the previous page */
          cursor?: string
          limit?: number
          /** @description Field to sort by; `-` before it sorts in descending order */
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
                /** @description Number of balances, by statement and currency, that tie out, differ or are unknown; null for formats without balances */
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
                /** @description Percentage with two decimals */
                matchRate: number
                /** @description Entries that the bank has not booked yet; they are not records */
                pending: number
                profileId: string | null
                profileVersion: number | null
                ranAt: string | null
                /** @description Number of runs so far */
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
     * Upload a bank file; all of its records are stored or none
     * @description The body is the file, or a form with one (`multipart/form-data`). Its format is detected: camt.053 (ISO 20022), MT940 (SWIFT), or CSV with the columns `external_transaction_id`, `amount` in major units, `currency` and `date`, in any order, unless a profile says otherwise. One ZIP may contain several camt.053 files, which become one run. A workbook (XLSX) is refused with 415: save it as CSV.
     */
    post: {
      parameters: {
        query?: {
          /** @description Name of the file; default: the name in the form, else `upload.csv` */
          filename?: string
          profile?: string
          /** @description New id of your choice, under which `/api/v1/stream` reports the progress of the upload */
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
              /** @description Number of balances, by statement and currency, that tie out, differ or are unknown; null for formats without balances */
              balances: {
                differing: number
                tied: number
                unknown: number
              } | null
              bytes: number
              /** @description Records with the same content as an earlier one */
              duplicates: number
              filename: string
              /** @enum {unknown} */
              format: 'csv' | 'camt.053' | 'mt940'
              /** @description Warning: statements whose predecessor is missing */
              gaps: {
                account: string | null
                /** @description Sum of the entries, in minor units */
                booked: string
                closing: string | null
                currency: string
                /** @description Closing balance less opening balance and entries, in minor units */
                difference: string | null
                entries: number
                firstLine: number | null
                /** @description First day of the statement */
                from: string | null
                lastLine: number | null
                /** @description Warning: statement numbers missing between the account's previously loaded statement and this one */
                missing: {
                  first: number
                  last: number
                } | null
                /** @description Position of the statement in the file, from 1 */
                number: number
                opening: string | null
                /** @description Why the balances do not tie out */
                reason: string | null
                /** @description Number of the statement in its account */
                sequence: number | null
                /** @description Id of the statement at the bank */
                statementId: string
                /** @description Whether opening balance and entries give the closing balance; null if the file lacks a balance */
                tiesOut: boolean | null
                /** @description Last day of the statement */
                to: string | null
              }[]
              /** Format: uuid */
              id: string
              /** @description Entries that the bank has not booked yet; they are not records */
              pending: number
              profile: {
                /** Format: uuid */
                id: string
                version: number
              } | null
              sha256: string
              sums: {
                /** @description Amount in minor units, as text because it may exceed the range of numbers */
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
              /** @description Number of balances, by statement and currency, that tie out, differ or are unknown; null for formats without balances */
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
              /** @description Percentage with two decimals */
              matchRate: number
              /** @description Entries that the bank has not booked yet; they are not records */
              pending: number
              profileId: string | null
              profileVersion: number | null
              ranAt: string | null
              reasons: {
                [key: string]: number
              }
              /** @description Number of runs so far */
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
     * Decide on many records of a file at once
     * @description Matches, ignores and reopens records, undoes matches and accepts suggestions in one transaction. Refused decisions change nothing and are listed in `refused` with the reason; all others are stored together.
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
                  /** @description Line number of the record */
                  recordId: string
                  /** @description Version of the record that you read; 409 if it has changed */
                  version?: number
                }
              | (
                  | {
                      adjustment?: {
                        /** @description Record's amount less that of payments and refunds, in minor units; a fee is negative */
                        amount: number
                        /** @enum {unknown} */
                        kind: 'fee' | 'rounding' | 'other'
                      }
                      /** @description Disputes that the record stands for, or that the bank deducted from a payout */
                      disputeIds?: string[]
                      /** @enum {string} */
                      do: 'match'
                      /** @description true: the record is one part of a payment that has other records too */
                      part?: boolean
                      /** @description Payments that the record settles; the first one is its main payment */
                      paymentIds?: string[]
                      /** @description Line number of the record */
                      recordId: string
                      /** @description Refunds that the record stands for, or that the bank deducted from a payout */
                      refundIds?: string[]
                      /** @description Version of the record that you read; 409 if it has changed */
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
            /** @description Reason, in your own words */
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
                /** @description Amount in minor units */
                amount: number
                bookedOn: string
                currency: string
                decidedBy: string | null
                disputeIds: string[]
                duplicateOf: number | null
                externalTransactionId: string
                /** @description Fee deducted by the bank, in minor units: from the match, else from the file */
                fee: number | null
                /** @description Amount plus fee, in minor units */
                gross: number
                id: string
                lineNumber: number
                /** @description Type of the match; for a refund or dispute, `matchedPaymentId` is its payment */
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
                /** @description Index of the decision, from 0 */
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
          /** @description `nextCursor` of the previous page */
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
     * Discard a file: its matches are undone, and it can be uploaded again
     * @description For a file that was uploaded by mistake or with the wrong profile. Its records stay readable; their payments and refunds are free again. Further runs, decisions or a second discard return 409 `RECONCILIATION_DISCARDED`.
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
            /** @description Reason, in your own words */
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
              /** @description Number of balances, by statement and currency, that tie out, differ or are unknown; null for formats without balances */
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
              /** @description Percentage with two decimals */
              matchRate: number
              /** @description Entries that the bank has not booked yet; they are not records */
              pending: number
              profileId: string | null
              profileVersion: number | null
              ranAt: string | null
              /** @description Number of runs so far */
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
              /** @description Amount in minor units */
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
              /** @description Id of the payment or run, `run/line` of a record, or `limits` */
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
    /** Disputes that took money and have no record, newest first */
    get: {
      parameters: {
        query?: {
          currency?: string
          /** @description `nextCursor` of the previous page */
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
                /** @description Amount in minor units */
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
          /** @description `nextCursor` of the previous page */
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
                  /** @description Amount in minor units */
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
                  /** @description Amount in minor units */
                  amount: number
                  bookedOn: string
                  currency: string
                  decidedBy: string | null
                  disputeIds: string[]
                  duplicateOf: number | null
                  externalTransactionId: string
                  /** @description Fee deducted by the bank, in minor units: from the match, else from the file */
                  fee: number | null
                  /** @description Amount plus fee, in minor units */
                  gross: number
                  id: string
                  lineNumber: number
                  /** @description Type of the match; for a refund or dispute, `matchedPaymentId` is its payment */
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
          /** @description `nextCursor` of the previous page */
          cursor?: string
          /** @description Only payments of this day or later (UTC) */
          from?: string
          limit?: number
          /** @description Business days (Monday to Friday) that the bank takes to pay out (T+n); a payment counts as missing only after them */
          settlesWithin?: number
          status?: 'pending' | 'succeeded' | 'failed' | 'refunded'
          /** @description Only payments of this day or earlier (UTC) */
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
                /** @description Amount in minor units */
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
          /** @description `nextCursor` of the previous page */
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
                /** @description Amount in minor units */
                amount: number
                bookedOn: string
                currency: string
                decidedBy: string | null
                disputeIds: string[]
                duplicateOf: number | null
                externalTransactionId: string
                /** @description Fee deducted by the bank, in minor units: from the match, else from the file */
                fee: number | null
                /** @description Amount plus fee, in minor units */
                gross: number
                id: string
                lineNumber: number
                /** @description Type of the match; for a refund or dispute, `matchedPaymentId` is its payment */
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
          /** @description Line number of the record */
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
              /** @description Amount in minor units */
              amount: number
              bookedOn: string
              currency: string
              decidedBy: string | null
              disputeIds: string[]
              duplicateOf: number | null
              externalTransactionId: string
              /** @description Fee deducted by the bank, in minor units: from the match, else from the file */
              fee: number | null
              /** @description Amount plus fee, in minor units */
              gross: number
              /** @description History, newest first */
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
              /** @description Type of the match; for a refund or dispute, `matchedPaymentId` is its payment */
              matchedAs: ('payment' | 'part' | 'refund' | 'dispute') | null
              matchedPaymentId: string | null
              occurrenceNo: number
              paymentIds: string[]
              payments: {
                /** @description Amount in minor units */
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
                /** @description Adjustment that accepting the suggestion records for the difference; a fee is negative */
                adjustment: {
                  amount: number
                  /** @enum {unknown} */
                  kind: 'fee' | 'rounding' | 'other'
                } | null
                ambiguous: boolean
                createdAt: string
                /** @description Record's amount less that of the payments, in minor units */
                difference: number
                /** Format: uuid */
                id: string
                kind: string
                paymentIds: string[]
                recordId: string
                /** @description Records that together pay one payment; otherwise the single record */
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
    /** Ignore a record: it is no longer an exception */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
          /** @description Line number of the record */
          recordId: string
        }
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            /** @description Reason, in your own words */
            reason: string
            /** @description Version of the record that you read; 409 if it has changed */
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
              /** @description Amount in minor units */
              amount: number
              bookedOn: string
              currency: string
              decidedBy: string | null
              disputeIds: string[]
              duplicateOf: number | null
              externalTransactionId: string
              /** @description Fee deducted by the bank, in minor units: from the match, else from the file */
              fee: number | null
              /** @description Amount plus fee, in minor units */
              gross: number
              id: string
              lineNumber: number
              /** @description Type of the match; for a refund or dispute, `matchedPaymentId` is its payment */
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
              /** @description Amount in minor units */
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
              /** @description Id of the payment or run, `run/line` of a record, or `limits` */
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
          /** @description Line number of the record */
          recordId: string
        }
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json':
            | {
                adjustment?: {
                  /** @description Record's amount less that of payments and refunds, in minor units; a fee is negative */
                  amount: number
                  /** @enum {unknown} */
                  kind: 'fee' | 'rounding' | 'other'
                }
                /** @description Disputes that the record stands for, or that the bank deducted from a payout */
                disputeIds?: string[]
                /** @description true: the record is one part of a payment that has other records too */
                part?: boolean
                /** Format: uuid */
                paymentId?: string
                /** @description Payments that the record settles; the first one is its main payment */
                paymentIds?: string[]
                /** @description Reason, in your own words */
                reason: string
                /** @description Refunds that the record stands for, or that the bank deducted from a payout */
                refundIds?: string[]
                /** @description Version of the record that you read; 409 if it has changed */
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
              /** @description Amount in minor units */
              amount: number
              bookedOn: string
              currency: string
              decidedBy: string | null
              disputeIds: string[]
              duplicateOf: number | null
              externalTransactionId: string
              /** @description Fee deducted by the bank, in minor units: from the match, else from the file */
              fee: number | null
              /** @description Amount plus fee, in minor units */
              gross: number
              id: string
              lineNumber: number
              /** @description Type of the match; for a refund or dispute, `matchedPaymentId` is its payment */
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
              /** @description Amount in minor units */
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
              /** @description Id of the payment or run, `run/line` of a record, or `limits` */
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
    /** Reopen a record, so that runs consider it again */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
          /** @description Line number of the record */
          recordId: string
        }
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            /** @description Reason, in your own words */
            reason: string
            /** @description Version of the record that you read; 409 if it has changed */
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
              /** @description Amount in minor units */
              amount: number
              bookedOn: string
              currency: string
              decidedBy: string | null
              disputeIds: string[]
              duplicateOf: number | null
              externalTransactionId: string
              /** @description Fee deducted by the bank, in minor units: from the match, else from the file */
              fee: number | null
              /** @description Amount plus fee, in minor units */
              gross: number
              id: string
              lineNumber: number
              /** @description Type of the match; for a refund or dispute, `matchedPaymentId` is its payment */
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
              /** @description Amount in minor units */
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
              /** @description Id of the payment or run, `run/line` of a record, or `limits` */
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
    /** Undo a match; no run matches the record again */
    post: {
      parameters: {
        query?: never
        header?: never
        path: {
          id: string
          /** @description Line number of the record */
          recordId: string
        }
        cookie?: never
      }
      requestBody: {
        content: {
          'application/json': {
            /** @description Reason, in your own words */
            reason: string
            /** @description Version of the record that you read; 409 if it has changed */
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
              /** @description Amount in minor units */
              amount: number
              bookedOn: string
              currency: string
              decidedBy: string | null
              disputeIds: string[]
              duplicateOf: number | null
              externalTransactionId: string
              /** @description Fee deducted by the bank, in minor units: from the match, else from the file */
              fee: number | null
              /** @description Amount plus fee, in minor units */
              gross: number
              id: string
              lineNumber: number
              /** @description Type of the match; for a refund or dispute, `matchedPaymentId` is its payment */
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
              /** @description Amount in minor units */
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
              /** @description Id of the payment or run, `run/line` of a record, or `limits` */
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
    /** Refunds without a record, newest first */
    get: {
      parameters: {
        query?: {
          currency?: string
          /** @description `nextCursor` of the previous page */
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
                /** @description Amount in minor units */
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
              /** @description Percentage with two decimals */
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
     * @description For camt.053 and MT940, by statement and currency: whether opening balance + entries = closing balance, or the difference. CSV files have no statements.
     */
    get: {
      parameters: {
        query?: {
          /** @description `nextCursor` of the previous page */
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
                /** @description Sum of the entries, in minor units */
                booked: string
                closing: string | null
                currency: string
                /** @description Closing balance less opening balance and entries, in minor units */
                difference: string | null
                entries: number
                firstLine: number | null
                /** @description First day of the statement */
                from: string | null
                lastLine: number | null
                /** @description Warning: statement numbers missing between the account's previously loaded statement and this one */
                missing: {
                  first: number
                  last: number
                } | null
                /** @description Position of the statement in the file, from 1 */
                number: number
                opening: string | null
                /** @description Why the balances do not tie out */
                reason: string | null
                /** @description Number of the statement in its account */
                sequence: number | null
                /** @description Id of the statement at the bank */
                statementId: string
                /** @description Whether opening balance and entries give the closing balance; null if the file lacks a balance */
                tiesOut: boolean | null
                /** @description Last day of the statement */
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
    /** Suggest matches without matching */
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
                  /** @description Tolerance in minor units */
                  absolute?: number
                  /** @description Tolerance in hundredths of a percent */
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
                    /** @description Tolerance in minor units */
                    absolute?: number
                    /** @description Tolerance in hundredths of a percent */
                    bps?: number
                  }
                  /** @enum {string} */
                  kind: 'many_to_one'
                }
              | {
                  fee?: {
                    /** @description Tolerance in minor units */
                    absolute?: number
                    /** @description Tolerance in hundredths of a percent */
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
          /** @description `nextCursor` of the previous page */
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
                /** @description Adjustment that accepting the suggestion records for the difference; a fee is negative */
                adjustment: {
                  amount: number
                  /** @enum {unknown} */
                  kind: 'fee' | 'rounding' | 'other'
                } | null
                ambiguous: boolean
                createdAt: string
                /** @description Record's amount less that of the payments, in minor units */
                difference: number
                /** Format: uuid */
                id: string
                kind: string
                paymentIds: string[]
                recordId: string
                /** @description Records that together pay one payment; otherwise the single record */
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
    /** Accept a suggestion and match its record */
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
              /** @description Amount in minor units */
              amount: number
              bookedOn: string
              currency: string
              decidedBy: string | null
              disputeIds: string[]
              duplicateOf: number | null
              externalTransactionId: string
              /** @description Fee deducted by the bank, in minor units: from the match, else from the file */
              fee: number | null
              /** @description Amount plus fee, in minor units */
              gross: number
              id: string
              lineNumber: number
              /** @description Type of the match; for a refund or dispute, `matchedPaymentId` is its payment */
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
              /** @description Amount in minor units */
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
              /** @description Id of the payment or run, `run/line` of a record, or `limits` */
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
              /** @description Adjustment that accepting the suggestion records for the difference; a fee is negative */
              adjustment: {
                amount: number
                /** @enum {unknown} */
                kind: 'fee' | 'rounding' | 'other'
              } | null
              ambiguous: boolean
              createdAt: string
              /** @description Record's amount less that of the payments, in minor units */
              difference: number
              /** Format: uuid */
              id: string
              kind: string
              paymentIds: string[]
              recordId: string
              /** @description Records that together pay one payment; otherwise the single record */
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
                /** @description Amount of matched records less that of their payments */
                adjustments: string
                currency: string
                fileTotal: string
                /** @description Amount matched by the last run or later */
                matched: string
                /** @description Amount matched before the last run */
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
    /** Records that need a decision, newest file first */
    get: {
      parameters: {
        query?: {
          /** @description `nextCursor` of the previous page */
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
                  /** @description Amount in minor units */
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
                  /** @description Amount in minor units */
                  amount: number
                  bookedOn: string
                  currency: string
                  decidedBy: string | null
                  disputeIds: string[]
                  duplicateOf: number | null
                  externalTransactionId: string
                  /** @description Fee deducted by the bank, in minor units: from the match, else from the file */
                  fee: number | null
                  /** @description Amount plus fee, in minor units */
                  gross: number
                  id: string
                  lineNumber: number
                  /** @description Type of the match; for a refund or dispute, `matchedPaymentId` is its payment */
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
    /** Figures of all files: match rate, money matched and at risk, exceptions, the last 14 days */
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
                /** @description Amount by currency, in minor units */
                moneyAtRisk: {
                  [key: string]: string
                }
                /** @description Amount by currency, in minor units */
                moneyMatched: {
                  [key: string]: string
                }
                /** @description Percentage with two decimals */
                reconciliationRate: number
                total: number
              }[]
              matched: number
              /** @description Amount by currency, in minor units */
              moneyAtRisk: {
                [key: string]: string
              }
              /** @description Amount by currency, in minor units */
              moneyMatched: {
                [key: string]: string
              }
              openExceptions: number
              /** @description Percentage with two decimals */
              reconciliationRate: number
              /** @description Exceptions open for more than 7 days */
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
          /** @description `nextCursor` of the previous page */
          cursor?: string
          limit?: number
          /** @description Field to sort by; `-` before it sorts in descending order */
          sort?: '-createdAt' | 'createdAt'
          /** @description `pending` until the gateway's webhook reports the outcome */
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
                /** @description When the gateway's webhook confirmed the refund */
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
                 * @description `pending` until the gateway's webhook reports the outcome
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
          /** @description `organisation` is your own; `platform` sets the defaults for all, for platform operators only */
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
                /** @description Default retention */
                default: string
                /** @description Rows past their retention without a legal hold, up to 10,000; null if the count took too long */
                due: number | null
                /** @description Retention in days, hours or minutes, such as 90d; or `forever` */
                keep: string
                /** @enum {unknown} */
                keepSetBy: 'organisation' | 'platform' | 'default'
                lastError: string | null
                lastRemoved: number | null
                lastRunAt: string | null
                /** @description Shortest retention that may be set; null if there is none */
                least: string | null
                /** @description Data that remains after removal */
                leaves: string
                nextRunAt: string | null
                oldestAt: string | null
                /** @description Whether this data can identify a person */
                personal: boolean
                /** @description Rows removed so far, of all organisations */
                removed: number
                /** @description Whether it can be set in this scope */
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
     * @description Returns 400 if the time is below the minimum of the class or cannot be set. The next run applies it.
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
             * @description `organisation` is your own; `platform` sets the defaults for all, for platform operators only
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
              /** @description Default retention */
              default: string
              /** @description Rows past their retention without a legal hold, up to 10,000; null if the count took too long */
              due: number | null
              /** @description Retention in days, hours or minutes, such as 90d; or `forever` */
              keep: string
              /** @enum {unknown} */
              keepSetBy: 'organisation' | 'platform' | 'default'
              lastError: string | null
              lastRemoved: number | null
              lastRunAt: string | null
              /** @description Shortest retention that may be set; null if there is none */
              least: string | null
              /** @description Data that remains after removal */
              leaves: string
              nextRunAt: string | null
              oldestAt: string | null
              /** @description Whether this data can identify a person */
              personal: boolean
              /** @description Rows removed so far, of all organisations */
              removed: number
              /** @description Whether it can be set in this scope */
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
          /** @description `nextCursor` of the previous page */
          cursor?: string
          limit?: number
          name?: string
          /** @description Field to sort by; `-` before it sorts in descending order */
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
                /** @description Direction of its steps, for a failed saga at the failure; null once it has ended */
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
              /** @description Direction of its steps, for a failed saga at the failure; null once it has ended */
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
                /** @description Deadline of the step, by the business clock */
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
            /** @description Reason, kept with the saga and in the audit */
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
              /** @description Direction of its steps, for a failed saga at the failure; null once it has ended */
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
                /** @description Deadline of the step, by the business clock */
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
    /** Send a signal to a saga; an early signal is stored until a step waits for it */
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
            /** @description Name of the signal */
            name: string
            /** @description Payload for the waiting step */
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
               * @description `woke`: a step waited for the signal; `kept`: the signal is stored until a step waits for it; `duplicate`: it was already sent with this Idempotency-Key
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
            /** @description Reason, kept with the saga and in the audit */
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
              /** @description Direction of its steps, for a failed saga at the failure; null once it has ended */
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
                /** @description Deadline of the step, by the business clock */
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
            /** @description Output of the skipped step, for later steps */
            data?: {
              [key: string]: unknown
            }
            /** @description Reason, kept with the saga and in the audit */
            reason: string
            /** @description Current step of the saga */
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
              /** @description Direction of its steps, for a failed saga at the failure; null once it has ended */
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
                /** @description Deadline of the step, by the business clock */
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
    /** End a saga in its current state; no further step or compensation runs */
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
            /** @description Reason, kept with the saga and in the audit */
            reason: string
            /** @description Step that you last read; if the saga has moved on, nothing is done */
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
              /** @description Direction of its steps, for a failed saga at the failure; null once it has ended */
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
                /** @description Deadline of the step, by the business clock */
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
     * @description Finds objects of the caller's organisation and related ones: the id of an order finds its saga and payment, that of a payment its webhooks and statement lines. Operators also find messages of outboxes by id.
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
                /** @description Type of the object: order, saga, payment, webhook, statement line, message, file … */
                kind: string
                title: string
                /** @description Path of its dashboard page */
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
     * @description The cookie is HttpOnly and SameSite=Strict. The session ends when the token expires, after seven days, or at logout. Programs send their token with each request instead.
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
     * @description Tokens stay valid until they expire.
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
                /** @description Path of its control API */
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
    /** Move the business clock forward; the audit records who did it. In development only */
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
            /** @description Duration such as `6h`, at most 400 days */
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
     * @description Events `transition` and `operation` have the fields of the audit; `position` comes when there is nothing new. The last event of a batch has an id: send it as Last-Event-ID to continue from there without gaps. Events `announcement` have `{topic, id, tenant, data, truncated}`: the latest announcement of each object of a system, at most every 250 ms, without an id and never repeated. The topic `*` means that some may be missing. Members and operators of an organisation see its events, operators of the platform see all.
     */
    get: {
      parameters: {
        query?: {
          outbox?: string
          /** @description Topics of announcements, separated by commas; default: all */
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
          /** @description `nextCursor` of the previous page */
          cursor?: string
          endpointId?: string
          eventId?: string
          eventType?: string
          limit?: number
          since?: string
          /** @description Field to sort by; `-` before it sorts in descending order */
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
                /** @description Body of the webhook */
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
              /** @description Body of the webhook */
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
          /** @description `nextCursor` of the previous page */
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
                  /** @description First 16 KiB of the body */
                  body: string
                  /** @description `utf8`, or `base64` for binary content */
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
          /** @description `nextCursor` of the previous page */
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
          /** @description `nextCursor` of the previous page */
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
          /** @description `nextCursor` of the previous page */
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
                /** @description Since when every attempt has failed; null if the last one succeeded. After days of failures the endpoint is disabled */
                failingSince: string | null
                filter: {
                  conditions: (
                    | {
                        equals: string | number | boolean | null
                        /** @description JSON Pointer into the body, such as /data/amount */
                        path: string
                      }
                    | {
                        notEquals: string | number | boolean | null
                        /** @description JSON Pointer into the body, such as /data/amount */
                        path: string
                      }
                    | {
                        in: (string | number | boolean | null)[]
                        /** @description JSON Pointer into the body, such as /data/amount */
                        path: string
                      }
                    | {
                        exists: boolean
                        /** @description JSON Pointer into the body, such as /data/amount */
                        path: string
                      }
                    | {
                        lessThan: number
                        /** @description JSON Pointer into the body, such as /data/amount */
                        path: string
                      }
                    | {
                        atMost: number
                        /** @description JSON Pointer into the body, such as /data/amount */
                        path: string
                      }
                    | {
                        moreThan: number
                        /** @description JSON Pointer into the body, such as /data/amount */
                        path: string
                      }
                    | {
                        atLeast: number
                        /** @description JSON Pointer into the body, such as /data/amount */
                        path: string
                      }
                  )[]
                  /** @description Whether all conditions must hold, or any one */
                  match: 'all' | 'any'
                } | null
                id: string
                ordered: boolean
                /** @description Public keys (`whpk_…`) of the key pairs that sign now, newest first; empty for `hmac` */
                publicKeys: string[]
                ratePerSecond: number | null
                retry: {
                  attempts: number
                  /** @description Named schedule; null for custom waits */
                  preset: ('quick' | 'hours' | 'days') | null
                  waits: number[]
                }
                /** @description `hmac`: a shared secret. `ed25519`: a key pair; you get the public key, and signatures start with `v1a` */
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
    /** Add an endpoint; only this answer contains its secret */
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
            /** @description Conditions on the content of events; null: all events of the endpoint's types */
            filter?: {
              conditions: (
                | {
                    equals: string | number | boolean | null
                    /** @description JSON Pointer into the body, such as /data/amount */
                    path: string
                  }
                | {
                    notEquals: string | number | boolean | null
                    /** @description JSON Pointer into the body, such as /data/amount */
                    path: string
                  }
                | {
                    in: (string | number | boolean | null)[]
                    /** @description JSON Pointer into the body, such as /data/amount */
                    path: string
                  }
                | {
                    exists: boolean
                    /** @description JSON Pointer into the body, such as /data/amount */
                    path: string
                  }
                | {
                    lessThan: number
                    /** @description JSON Pointer into the body, such as /data/amount */
                    path: string
                  }
                | {
                    atMost: number
                    /** @description JSON Pointer into the body, such as /data/amount */
                    path: string
                  }
                | {
                    moreThan: number
                    /** @description JSON Pointer into the body, such as /data/amount */
                    path: string
                  }
                | {
                    atLeast: number
                    /** @description JSON Pointer into the body, such as /data/amount */
                    path: string
                  }
              )[]
              /** @description Whether all conditions must hold, or any one */
              match: 'all' | 'any'
            } | null
            /** @description true: events of the same key are delivered in sequence */
            ordered?: boolean
            ratePerSecond?: number | null
            retry?:
              | {
                  /** @description Number of attempts; default: one more than waits */
                  attempts?: number
                  preset: 'quick' | 'hours' | 'days'
                }
              | {
                  /** @description Number of attempts; default: one more than waits */
                  attempts?: number
                  /** @description Seconds to wait after each failed attempt; the last value repeats */
                  waits: number[]
                }
              | null
            /** @description `hmac`: a shared secret. `ed25519`: a key pair; you get the public key, and signatures start with `v1a` */
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
              /** @description Since when every attempt has failed; null if the last one succeeded. After days of failures the endpoint is disabled */
              failingSince: string | null
              filter: {
                conditions: (
                  | {
                      equals: string | number | boolean | null
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                  | {
                      notEquals: string | number | boolean | null
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                  | {
                      in: (string | number | boolean | null)[]
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                  | {
                      exists: boolean
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                  | {
                      lessThan: number
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                  | {
                      atMost: number
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                  | {
                      moreThan: number
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                  | {
                      atLeast: number
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                )[]
                /** @description Whether all conditions must hold, or any one */
                match: 'all' | 'any'
              } | null
              id: string
              ordered: boolean
              /** @description Public keys (`whpk_…`) of the key pairs that sign now, newest first; empty for `hmac` */
              publicKeys: string[]
              ratePerSecond: number | null
              retry: {
                attempts: number
                /** @description Named schedule; null for custom waits */
                preset: ('quick' | 'hours' | 'days') | null
                waits: number[]
              }
              /** @description Secret, shown only once; null for a key pair, whose public key is in `publicKeys` */
              secret: string | null
              /** @description `hmac`: a shared secret. `ed25519`: a key pair; you get the public key, and signatures start with `v1a` */
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
              /** @description Since when every attempt has failed; null if the last one succeeded. After days of failures the endpoint is disabled */
              failingSince: string | null
              filter: {
                conditions: (
                  | {
                      equals: string | number | boolean | null
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                  | {
                      notEquals: string | number | boolean | null
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                  | {
                      in: (string | number | boolean | null)[]
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                  | {
                      exists: boolean
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                  | {
                      lessThan: number
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                  | {
                      atMost: number
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                  | {
                      moreThan: number
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                  | {
                      atLeast: number
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                )[]
                /** @description Whether all conditions must hold, or any one */
                match: 'all' | 'any'
              } | null
              id: string
              ordered: boolean
              /** @description Public keys (`whpk_…`) of the key pairs that sign now, newest first; empty for `hmac` */
              publicKeys: string[]
              ratePerSecond: number | null
              retry: {
                attempts: number
                /** @description Named schedule; null for custom waits */
                preset: ('quick' | 'hours' | 'days') | null
                waits: number[]
              }
              /** @description `hmac`: a shared secret. `ed25519`: a key pair; you get the public key, and signatures start with `v1a` */
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
            /** @description Conditions on the content of events; null: all events of the endpoint's types */
            filter?: {
              conditions: (
                | {
                    equals: string | number | boolean | null
                    /** @description JSON Pointer into the body, such as /data/amount */
                    path: string
                  }
                | {
                    notEquals: string | number | boolean | null
                    /** @description JSON Pointer into the body, such as /data/amount */
                    path: string
                  }
                | {
                    in: (string | number | boolean | null)[]
                    /** @description JSON Pointer into the body, such as /data/amount */
                    path: string
                  }
                | {
                    exists: boolean
                    /** @description JSON Pointer into the body, such as /data/amount */
                    path: string
                  }
                | {
                    lessThan: number
                    /** @description JSON Pointer into the body, such as /data/amount */
                    path: string
                  }
                | {
                    atMost: number
                    /** @description JSON Pointer into the body, such as /data/amount */
                    path: string
                  }
                | {
                    moreThan: number
                    /** @description JSON Pointer into the body, such as /data/amount */
                    path: string
                  }
                | {
                    atLeast: number
                    /** @description JSON Pointer into the body, such as /data/amount */
                    path: string
                  }
              )[]
              /** @description Whether all conditions must hold, or any one */
              match: 'all' | 'any'
            } | null
            /** @description true: events of the same key are delivered in sequence */
            ordered?: boolean
            ratePerSecond?: number | null
            retry?:
              | {
                  /** @description Number of attempts; default: one more than waits */
                  attempts?: number
                  preset: 'quick' | 'hours' | 'days'
                }
              | {
                  /** @description Number of attempts; default: one more than waits */
                  attempts?: number
                  /** @description Seconds to wait after each failed attempt; the last value repeats */
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
              /** @description Since when every attempt has failed; null if the last one succeeded. After days of failures the endpoint is disabled */
              failingSince: string | null
              filter: {
                conditions: (
                  | {
                      equals: string | number | boolean | null
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                  | {
                      notEquals: string | number | boolean | null
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                  | {
                      in: (string | number | boolean | null)[]
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                  | {
                      exists: boolean
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                  | {
                      lessThan: number
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                  | {
                      atMost: number
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                  | {
                      moreThan: number
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                  | {
                      atLeast: number
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                )[]
                /** @description Whether all conditions must hold, or any one */
                match: 'all' | 'any'
              } | null
              id: string
              ordered: boolean
              /** @description Public keys (`whpk_…`) of the key pairs that sign now, newest first; empty for `hmac` */
              publicKeys: string[]
              ratePerSecond: number | null
              retry: {
                attempts: number
                /** @description Named schedule; null for custom waits */
                preset: ('quick' | 'hours' | 'days') | null
                waits: number[]
              }
              /** @description `hmac`: a shared secret. `ed25519`: a key pair; you get the public key, and signatures start with `v1a` */
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
    /** Disable an endpoint; its pending deliveries are skipped and can be replayed */
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
              /** @description Since when every attempt has failed; null if the last one succeeded. After days of failures the endpoint is disabled */
              failingSince: string | null
              filter: {
                conditions: (
                  | {
                      equals: string | number | boolean | null
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                  | {
                      notEquals: string | number | boolean | null
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                  | {
                      in: (string | number | boolean | null)[]
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                  | {
                      exists: boolean
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                  | {
                      lessThan: number
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                  | {
                      atMost: number
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                  | {
                      moreThan: number
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                  | {
                      atLeast: number
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                )[]
                /** @description Whether all conditions must hold, or any one */
                match: 'all' | 'any'
              } | null
              id: string
              ordered: boolean
              /** @description Public keys (`whpk_…`) of the key pairs that sign now, newest first; empty for `hmac` */
              publicKeys: string[]
              ratePerSecond: number | null
              retry: {
                attempts: number
                /** @description Named schedule; null for custom waits */
                preset: ('quick' | 'hours' | 'days') | null
                waits: number[]
              }
              /** @description `hmac`: a shared secret. `ed25519`: a key pair; you get the public key, and signatures start with `v1a` */
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
    /** Enable an endpoint */
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
              /** @description Since when every attempt has failed; null if the last one succeeded. After days of failures the endpoint is disabled */
              failingSince: string | null
              filter: {
                conditions: (
                  | {
                      equals: string | number | boolean | null
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                  | {
                      notEquals: string | number | boolean | null
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                  | {
                      in: (string | number | boolean | null)[]
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                  | {
                      exists: boolean
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                  | {
                      lessThan: number
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                  | {
                      atMost: number
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                  | {
                      moreThan: number
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                  | {
                      atLeast: number
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                )[]
                /** @description Whether all conditions must hold, or any one */
                match: 'all' | 'any'
              } | null
              id: string
              ordered: boolean
              /** @description Public keys (`whpk_…`) of the key pairs that sign now, newest first; empty for `hmac` */
              publicKeys: string[]
              ratePerSecond: number | null
              retry: {
                attempts: number
                /** @description Named schedule; null for custom waits */
                preset: ('quick' | 'hours' | 'days') | null
                waits: number[]
              }
              /** @description `hmac`: a shared secret. `ed25519`: a key pair; you get the public key, and signatures start with `v1a` */
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
     * After an outage, send all undelivered webhooks of a period now
     * @description Replays abandoned and skipped deliveries, and attempts those that wait for a retry at once. Delivered webhooks are not sent again.
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
            /** @description true: only count, send nothing */
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
              /** @description True if more deliveries match than one request handles: repeat the request */
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
              /** @description True if more deliveries match than one request handles: repeat the request */
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
     * @description Selects by the time of the events, up to 10,000 at once.
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
            /** @description true: only count, send nothing */
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
              /** @description True if more deliveries match than one request handles: repeat the request */
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
              /** @description True if more deliveries match than one request handles: repeat the request */
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
    /** Rotate the secret or key pair of an endpoint; the old one signs too for 24 hours */
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
            /** @description `hmac`: a shared secret. `ed25519`: a key pair; you get the public key, and signatures start with `v1a` */
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
              /** @description Since when every attempt has failed; null if the last one succeeded. After days of failures the endpoint is disabled */
              failingSince: string | null
              filter: {
                conditions: (
                  | {
                      equals: string | number | boolean | null
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                  | {
                      notEquals: string | number | boolean | null
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                  | {
                      in: (string | number | boolean | null)[]
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                  | {
                      exists: boolean
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                  | {
                      lessThan: number
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                  | {
                      atMost: number
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                  | {
                      moreThan: number
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                  | {
                      atLeast: number
                      /** @description JSON Pointer into the body, such as /data/amount */
                      path: string
                    }
                )[]
                /** @description Whether all conditions must hold, or any one */
                match: 'all' | 'any'
              } | null
              id: string
              ordered: boolean
              /** @description Public keys (`whpk_…`) of the key pairs that sign now, newest first; empty for `hmac` */
              publicKeys: string[]
              ratePerSecond: number | null
              retry: {
                attempts: number
                /** @description Named schedule; null for custom waits */
                preset: ('quick' | 'hours' | 'days') | null
                waits: number[]
              }
              /** @description Secret, shown only once; null for a key pair, whose public key is in `publicKeys` */
              secret: string | null
              /** @description `hmac`: a shared secret. `ed25519`: a key pair; you get the public key, and signatures start with `v1a` */
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
              /** @description Number of periods; the last one is incomplete */
              count: number
              /**
               * Format: date-time
               * @description Start of the first period
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
    /** Health of each endpoint, from its deliveries of the last days */
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
                /** @description True while the breaker is open: most recent attempts failed, so only occasional probes are sent */
                breakerOpen: boolean
                delivered: number
                endpointId: string
                /** @description Failed attempts, including the last ones of abandoned deliveries */
                failedAttempts: number
                /** @description Deliveries waiting for another attempt now; counted up to 1000 */
                failing: number
                /** @description Events that the endpoint's filter excluded */
                filtered: number
                lastDeliveredAt: string | null
                lastFailure: {
                  code: string | null
                  deliveryId: string
                  error: string | null
                } | null
                skipped: number
                /** @description Share of successful attempts in this period, from 0 to 1; null without attempts */
                successRate: number | null
                /** @description Deliveries waiting for their first attempt now; counted up to 1000 */
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
    /** Events of the gateway, newest first; platform operators also find those without a known payment, by `unknown_payment` */
    get: {
      parameters: {
        query?: {
          /** @description `nextCursor` of the previous page */
          cursor?: string
          limit?: number
          paymentId?: string
          since?: string
          /** @description Field to sort by; `-` before it sorts in descending order */
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
                /** @description When the event got its current status */
                decidedAt: string
                /** @description Object of the event at the gateway, if the event names no payment */
                gatewayRef: string | null
                /** @description Id of the event at the gateway */
                id: string
                paymentId: string | null
                /** @description Why the event waits, contradicts the payment or does not fit; otherwise null */
                reason: string | null
                receivedAt: string
                /**
                 * @description `webhook`, or `lookup` if Posthorn asked the gateway because no webhook came
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
              /** @description Body exactly as received */
              body: string
              /** @description When the event got its current status */
              decidedAt: string
              /** @description Object of the event at the gateway, if the event names no payment */
              gatewayRef: string | null
              /** @description Id of the event at the gateway */
              id: string
              paymentId: string | null
              /** @description Why the event waits, contradicts the payment or does not fit; otherwise null */
              reason: string | null
              receivedAt: string
              /**
               * @description `webhook`, or `lookup` if Posthorn asked the gateway because no webhook came
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
              /** @description Body exactly as received */
              body: string
              /** @description When the event got its current status */
              decidedAt: string
              /** @description Object of the event at the gateway, if the event names no payment */
              gatewayRef: string | null
              /** @description Id of the event at the gateway */
              id: string
              paymentId: string | null
              /** @description Why the event waits, contradicts the payment or does not fit; otherwise null */
              reason: string | null
              receivedAt: string
              /**
               * @description `webhook`, or `lookup` if Posthorn asked the gateway because no webhook came
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
                 * @description Event type in the catalogue
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
                        /** @description JSON Pointer into the body, such as /data/amount */
                        path: string
                      }
                    | {
                        notEquals: string | number | boolean | null
                        /** @description JSON Pointer into the body, such as /data/amount */
                        path: string
                      }
                    | {
                        in: (string | number | boolean | null)[]
                        /** @description JSON Pointer into the body, such as /data/amount */
                        path: string
                      }
                    | {
                        exists: boolean
                        /** @description JSON Pointer into the body, such as /data/amount */
                        path: string
                      }
                    | {
                        lessThan: number
                        /** @description JSON Pointer into the body, such as /data/amount */
                        path: string
                      }
                    | {
                        atMost: number
                        /** @description JSON Pointer into the body, such as /data/amount */
                        path: string
                      }
                    | {
                        moreThan: number
                        /** @description JSON Pointer into the body, such as /data/amount */
                        path: string
                      }
                    | {
                        atLeast: number
                        /** @description JSON Pointer into the body, such as /data/amount */
                        path: string
                      }
                  )[]
                  /** @description Whether all conditions must hold, or any one */
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
                /** @description Value at the path; absent if there is none */
                found?: unknown
                holds: boolean
                path: string
              }[]
              /** @description Body that was tested */
              event: unknown
              /** @description Whether an endpoint with this filter receives the event */
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
    /** Receive an event of the payment gateway, signed by x-webhook-signature or Standard Webhooks */
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
              /** @description True if the event does not concern the state of a payment */
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
    /** Answer WhatsApp's handshake: returns the challenge if the token matches */
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
    /** Receive messages of people and WhatsApp's reports about sent ones */
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
    /** Answer WhatsApp's handshake: returns the challenge if the token matches */
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
    /** Receive messages of people and WhatsApp's reports about sent ones */
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
        /** @description Done, or refused: see `errors` in the payload */
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
        /** @description Done, or refused: see `errors` in the payload */
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
    /** Page that an invitation's link opens, unless you have your own */
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
            /** @description Duration such as `6h` */
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
            /** @description Requests that pass before the fault applies; default 0 */
            after?: number
            /** @description Code in the body of an error, if the protocol has one */
            code?: number | string
            /** @description Delay of `slow`; default 2000 */
            delayMs?: number
            /** @description Whether the simulator does the work before it fails; default false */
            effect?: boolean
            /**
             * @description `ok` clears the fault, `error` answers with an error, `timeout` never answers, `drop` closes the connection, `slow` answers late
             * @enum {unknown}
             */
            mode: 'ok' | 'error' | 'timeout' | 'drop' | 'slow'
            /** @description Status of an error; default 500, for SMTP 451 */
            status?: number
            /** @description Number of requests that the fault applies to; default: all until cleared */
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
          /** @description Only requests with a lower id */
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
    /** Authenticate a customer: `outcome` sets the result; without it, a page asks */
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
        /** @description The authentication page, or the charge */
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
            /** @description Amount in minor units; default: the whole charge */
            amount?: number
            chargeId: string
            currency?: string
            reason?: string
            /**
             * @description `opened` (default), or `inquiry`, which takes no money yet
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
    /** Let the authorisation of a charge expire */
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
            /** @description Requests that pass before the fault applies; default 0 */
            after?: number
            /** @description Code in the body of an error, if the protocol has one */
            code?: number | string
            /** @description Delay of `slow`; default 2000 */
            delayMs?: number
            /** @description Whether the simulator does the work before it fails; default false */
            effect?: boolean
            /**
             * @description `ok` clears the fault, `error` answers with an error, `timeout` never answers, `drop` closes the connection, `slow` answers late
             * @enum {unknown}
             */
            mode: 'ok' | 'error' | 'timeout' | 'drop' | 'slow'
            /** @description Status of an error; default 500, for SMTP 451 */
            status?: number
            /** @description Number of requests that the fault applies to; default: all until cleared */
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
    /** Let a completed refund fail at the bank */
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
          /** @description Only requests with a lower id */
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
            /** @description Copies of each webhook; default 1 */
            copies?: number
            /** @description Delay of webhooks; default 200 */
            delayMs?: number
            /**
             * @description `kept` (default), or `reversed`: events within `delayMs` are sent newest first
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
            /** @description Requests that pass before the fault applies; default 0 */
            after?: number
            /** @description Code in the body of an error, if the protocol has one */
            code?: number | string
            /** @description Delay of `slow`; default 2000 */
            delayMs?: number
            /** @description Whether the simulator does the work before it fails; default false */
            effect?: boolean
            /**
             * @description `ok` clears the fault, `error` answers with an error, `timeout` never answers, `drop` closes the connection, `slow` answers late
             * @enum {unknown}
             */
            mode: 'ok' | 'error' | 'timeout' | 'drop' | 'slow'
            /** @description Status of an error; default 500, for SMTP 451 */
            status?: number
            /** @description Number of requests that the fault applies to; default: all until cleared */
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
          /** @description Only requests with a lower id */
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
            /** @description Requests that pass before the fault applies; default 0 */
            after?: number
            /** @description Code in the body of an error, if the protocol has one */
            code?: number | string
            /** @description Delay of `slow`; default 2000 */
            delayMs?: number
            /** @description Whether the simulator does the work before it fails; default false */
            effect?: boolean
            /**
             * @description `ok` clears the fault, `error` answers with an error, `timeout` never answers, `drop` closes the connection, `slow` answers late
             * @enum {unknown}
             */
            mode: 'ok' | 'error' | 'timeout' | 'drop' | 'slow'
            /** @description Status of an error; default 500, for SMTP 451 */
            status?: number
            /** @description Number of requests that the fault applies to; default: all until cleared */
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
          /** @description Only requests with a lower id */
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
    /** Set the secrets with which the merchant checks signatures */
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
            /** @description Token that its requests must carry */
            accessToken: string
            /** @description Secret that signs its webhooks */
            appSecret: string
            /** @description Ids of its phone numbers */
            phoneNumberIds: string[]
            /** @description Path that receives its webhooks */
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
            /** @description Reports that are never sent */
            drop?: ('sent' | 'delivered' | 'read' | 'failed')[]
            /** @description Whether reports include biz_opaque_callback_data; default true */
            echo?: boolean
            /** @description Time until `sent`; `delivered` follows after twice, `read` after four times as long. Default 400 */
            paceMs?: number
            /** @description Messages that one number may send per second; 0: no limit. Default 80 */
            perSecond?: number
            /** @description Whether reports arrive in reverse order; default false */
            reorder?: boolean
            /** @description Copies of each webhook; default 1 */
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
            /** @description Requests that pass before the fault applies; default 0 */
            after?: number
            /** @description Code in the body of an error, if the protocol has one */
            code?: number | string
            /** @description Delay of `slow`; default 2000 */
            delayMs?: number
            /** @description Whether the simulator does the work before it fails; default false */
            effect?: boolean
            /**
             * @description `ok` clears the fault, `error` answers with an error, `timeout` never answers, `drop` closes the connection, `slow` answers late
             * @enum {unknown}
             */
            mode: 'ok' | 'error' | 'timeout' | 'drop' | 'slow'
            /** @description Status of an error; default 500, for SMTP 451 */
            status?: number
            /** @description Number of requests that the fault applies to; default: all until cleared */
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
            /** @description Phone number of the person; default: hidden */
            from?: string
            /**
             * @description Type of the message; default text
             * @enum {unknown}
             */
            kind?: 'text' | 'button' | 'list' | 'image' | 'reaction' | 'unsupported'
            /** @description Name of the person; default Ada */
            name?: string
            /** @description Copies of the webhook; default 1 */
            repeat?: number
            /** @description Id of the answered message (`wamid.…`); default: none */
            replyTo?: string
            /** @description Text, title of a button, caption or emoji; default Hello */
            text?: string
            /** @description Id of the number that receives the message; default: the one that last sent to this person */
            to?: string
            /** @description Meta's id of the person, such as US.13491208655302741918; default: none */
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
          /** @description Only requests with a lower id */
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
    /** @description Problem details (RFC 9457) */
    Problem: {
      /** @description Stable error code; use this in programs */
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
