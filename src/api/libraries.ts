/** The libraries that the executable has in a separate bundle, which only `kk serve` loads. */
export {default as rateLimit} from '@fastify/rate-limit'
export {default as swagger} from '@fastify/swagger'
export {fastify} from 'fastify'
