import {Flags} from '@oclif/core'
import {argument} from '../argument.ts'
import {
  clusterFlags,
  documentFlags,
  environmentFlags,
  type FlagValues,
  overrideFlags,
  repeated,
} from '../flags.ts'
import {changeFlags} from '../run/flags.ts'

/** The flags that name overrides: those of a store, on top of an environment or of facts. */
const localOverridesFlags = {
  environment: {
    ...environmentFlags.environment,
    summary: 'The environment whose layers count, too (also KK_ENVIRONMENT).',
  },
  ...overrideFlags,
  ...clusterFlags,
}

/** The flags that name overrides, also those behind a server. */
export const overridesFlags = {
  ...localOverridesFlags,
  server: Flags.string({
    summary:
      'Through kk serve at this address (also KK_SERVER); its token is read from KK_SERVER_TOKEN or KK_TOKEN.',
    helpValue: 'URL',
    exclusive: ['store', 'facts', 'environment'],
  }),
}
/** A command may lack some: a flag that it lacks was not given. */
export type OverridesFlags = Partial<FlagValues<typeof overridesFlags>>

export const showSecretsFlag = {
  'show-secrets': Flags.boolean({summary: 'Show passwords and keys instead of ***.'}),
}

/** The arguments `CHART NAMESPACE`, as the document has them; the second may be left out. */
export const placeArguments = {
  chart: argument({description: 'The chart.', required: true}),
  namespace: argument({
    description: 'The namespace in which it is; by default the only one.',
  }),
}

/** The arguments `CHART NAMESPACE` where both may be left out. */
export const optionalPlaceArguments = {
  chart: argument({...placeArguments.chart, required: false}),
  namespace: placeArguments.namespace,
}

export const updateFlags = {
  'reuse-values': Flags.boolean({
    summary: 'Start from the overrides that are stored.',
    exclusive: ['reset-values'],
  }),
  'reset-values': Flags.boolean({summary: 'Start from nothing (the default).'}),
  values: repeated(
    'FILE',
    'A file of overrides, or - for standard input; may be repeated, the last one wins.',
  ),
  set: repeated(
    'KEY=VALUE',
    "Overrides in the grammar of helm's --set, on top of the files; may be repeated.",
  ),
  'set-string': repeated('KEY=VALUE', 'The same, but every value is a text; on top of --set.'),
  'dry-run': Flags.boolean({summary: 'Show what would be stored instead of what is; change nothing.'}),
  ...showSecretsFlag,
  ...documentFlags,
  ...overridesFlags,
}
export type UpdateFlags = FlagValues<typeof updateFlags>

export const deleteFlags = {
  'dry-run': Flags.boolean({summary: 'Show what would be deleted, and change nothing.'}),
  ...showSecretsFlag,
  ...documentFlags,
  ...overridesFlags,
}
export type DeleteFlags = FlagValues<typeof deleteFlags>

export const showFlags = {
  format: Flags.option({
    summary: 'Print the combined overrides alone, for helm --values or for Armada.',
    options: ['helm', 'armada'] as const,
    exclusive: ['output'],
  })(),
  file: Flags.string({
    summary: 'With --format: write them to this file, readable by you only, and print nothing.',
    helpValue: 'NAME',
    dependsOn: ['format'],
  }),
  all: Flags.boolean({summary: 'With --format: of all active charts.', dependsOn: ['format']}),
  onto: Flags.string({
    summary: 'With --format armada: lay them over the chart documents of this manifest, and print that.',
    helpValue: 'FILE',
    dependsOn: ['format'],
  }),
  ...showSecretsFlag,
  ...documentFlags,
  ...overridesFlags,
}
export type ShowFlags = FlagValues<typeof showFlags>

export const importFlags = {
  prune: Flags.boolean({summary: 'Delete overrides that the file does not have.'}),
  'dry-run': Flags.boolean({summary: 'Show what would change, and change nothing.'}),
  yes: changeFlags.yes,
  ...documentFlags,
  ...overridesFlags,
}
export type ImportFlags = OverridesFlags & Pick<FlagValues<typeof importFlags>, 'prune' | 'dry-run' | 'yes'>

export const serveFlags = {
  listen: Flags.string({
    summary: 'Where to listen; port 0 is any that is free.',
    helpValue: 'HOST:PORT',
    default: '127.0.0.1:8080',
  }),
  'token-file': Flags.string({
    summary:
      'Who may read and write: lines "read TOKEN [NAME]" and "write TOKEN [NAME]" (also KK_TOKEN_FILE). KK_TOKEN is a single one that may write.',
    helpValue: 'FILE',
  }),
  'tls-cert': Flags.string({
    summary: 'The certificate, as PEM.',
    helpValue: 'FILE',
    dependsOn: ['tls-key'],
  }),
  'tls-key': Flags.string({summary: 'Its key, as PEM.', helpValue: 'FILE', dependsOn: ['tls-cert']}),
  'allow-secret-overrides': Flags.boolean({
    summary: 'Take overrides of passwords and keys that kk keeps, too.',
  }),
  'rate-limit': Flags.integer({
    summary: 'How many requests one address may send in a minute; more are answered with 429.',
    helpValue: 'N',
    default: 60_000,
    min: 1,
  }),
  'log-level': Flags.option({
    summary: 'What to log on standard error, as lines of JSON.',
    options: ['silent', 'error', 'warn', 'info', 'debug'] as const,
    default: 'info',
  })(),
  ...localOverridesFlags,
}
export type ServeFlags = FlagValues<typeof serveFlags>
