export { HandleMessage, InjectOutbox, outboxToken } from './handlers.ts'
export { PosthornHost } from './host.ts'
export { PosthornModule } from './module.ts'
export {
  type PosthornModuleAsyncOptions,
  type PosthornModuleOptions,
  type PosthornSettings,
} from './host.ts'
