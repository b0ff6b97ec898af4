import {Flags} from '@oclif/core'
import {clusterFlags, documentFlags, environmentFlags, overrideFlags} from '../flags.ts'

export const secretsFlags = {
  in: Flags.option({
    summary: 'Where they are kept: in the cluster or, for work without one, in the store of overrides.',
    options: ['cluster', 'store'] as const,
    default: 'cluster',
  })(),
  environment: {
    ...environmentFlags.environment,
    summary: 'The environment that says which cluster, and whose releases get which (also KK_ENVIRONMENT).',
  },
  store: overrideFlags.store,
  plugins: overrideFlags.plugins,
  ...documentFlags,
  ...clusterFlags,
}

export const namespaceFlag = {
  namespace: Flags.string({summary: 'The namespace of the releases.', helpValue: 'NAME'}),
}
