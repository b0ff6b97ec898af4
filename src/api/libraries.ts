/** What the executable carries in a bundle of its own: only `kk serve` pays for it. */
export {default as rateLimit} from '@fastify/rate-limit'
export {default as swagger} from '@fastify/swagger'
export {fastify} from 'fastify'
export {collectDefaultMetrics, Histogram, Registry} from 'prom-client'
