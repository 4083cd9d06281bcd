import type { App } from '@posthorn/http'
import { deliveryRoutes } from './deliveries/routes.ts'
import { endpointRoutes, type EndpointRoutesOptions } from './endpoints/routes.ts'

export function webhookRoutes(app: App, options: EndpointRoutesOptions): void {
  endpointRoutes(app, options)
  deliveryRoutes(app, options.pool)
}
