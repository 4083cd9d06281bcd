import type { App } from '@posthorn/http'
import { deliveryRoutes } from './deliveries/routes.ts'
import type { EndpointRoutesOptions } from './endpoints/routes.ts'
import { endpointRoutes } from './endpoints/routes.ts'

export function webhookRoutes(app: App, options: EndpointRoutesOptions): void {
  endpointRoutes(app, options)
  deliveryRoutes(app, options.pool)
}
