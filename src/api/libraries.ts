/** The libraries that the executable carries in a bundle of their own: only `kk serve` pays for them. */
export {default as rateLimit} from '@fastify/rate-limit'
export {default as swagger} from '@fastify/swagger'
export {fastify} from 'fastify'
