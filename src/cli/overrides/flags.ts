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

/** The flags that select overrides: those of a store, and the environment or the facts below them. */
const localOverridesFlags = {
  environment: {
    ...environmentFlags.environment,
    summary: 'The environment whose layers are included (also KK_ENVIRONMENT).',
  },
  ...overrideFlags,
  ...clusterFlags,
}

/** The flags that select overrides, including those of a server. */
export const overridesFlags = {
  ...localOverridesFlags,
  server: Flags.string({
    summary:
      'Use kk serve at this address (also KK_SERVER); the token is read from KK_SERVER_TOKEN or KK_TOKEN.',
    helpValue: 'URL',
    exclusive: ['store', 'facts', 'environment'],
  }),
}
/** The values of flags that a command may lack; a missing flag is undefined. */
export type OverridesFlags = Partial<FlagValues<typeof overridesFlags>>

export const showSecretsFlag = {
  'show-secrets': Flags.boolean({summary: 'Show passwords and keys instead of ***.'}),
}

/** The arguments `CHART NAMESPACE`, as in the StarlingX documentation; the second is optional. */
export const placeArguments = {
  chart: argument({description: 'The chart.', required: true}),
  namespace: argument({
    description: 'The namespace of the chart (default: the only one).',
  }),
}

/** The arguments `CHART NAMESPACE`, both optional. */
export const optionalPlaceArguments = {
  chart: argument({...placeArguments.chart, required: false}),
  namespace: placeArguments.namespace,
}

export const updateFlags = {
  'reuse-values': Flags.boolean({
    summary: 'Merge the new overrides into the stored ones.',
    exclusive: ['reset-values'],
  }),
  'reset-values': Flags.boolean({summary: 'Replace the stored overrides (the default).'}),
  values: repeated(
    'FILE',
    'A file of overrides, or - for standard input; may be repeated, the last one takes precedence.',
    {char: 'f'},
  ),
  set: repeated(
    'KEY=VALUE',
    "Overrides in the syntax of helm's --set, with precedence over the files; may be repeated.",
  ),
  'set-string': repeated('KEY=VALUE', 'Like --set, but every value is a string; with precedence over --set.'),
  'dry-run': Flags.boolean({
    summary: 'Show the stored overrides and those that would replace them; change nothing.',
  }),
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
    summary: 'Print only the combined overrides, for helm --values or for Armada.',
    options: ['helm', 'armada'] as const,
    exclusive: ['output'],
  })(),
  file: Flags.string({
    summary: 'With --format: write them to this file, readable only by its owner, and print nothing.',
    helpValue: 'NAME',
    dependsOn: ['format'],
  }),
  all: Flags.boolean({
    summary: 'With --format: print the overrides of all active charts.',
    dependsOn: ['format'],
  }),
  onto: Flags.string({
    summary:
      'With --format armada: merge them into the chart documents of this manifest, and print the result.',
    helpValue: 'FILE',
    dependsOn: ['format'],
  }),
  ...showSecretsFlag,
  ...documentFlags,
  ...overridesFlags,
}
export type ShowFlags = FlagValues<typeof showFlags>

export const importFlags = {
  prune: Flags.boolean({summary: 'Delete overrides that are not in the file.'}),
  'dry-run': Flags.boolean({summary: 'Show what would change, and change nothing.'}),
  yes: changeFlags.yes,
  ...documentFlags,
  ...overridesFlags,
}
export type ImportFlags = OverridesFlags & Pick<FlagValues<typeof importFlags>, 'prune' | 'dry-run' | 'yes'>

export const serveFlags = {
  listen: Flags.string({
    summary: 'The address to listen on; port 0 selects a free port.',
    helpValue: 'HOST:PORT',
    default: '127.0.0.1:8080',
  }),
  'token-file': Flags.string({
    summary:
      'A file of access tokens: lines "read TOKEN [NAME]" and "write TOKEN [NAME]" (also KK_TOKEN_FILE). KK_TOKEN is a single write token.',
    helpValue: 'FILE',
  }),
  'tls-cert': Flags.string({
    summary: 'The certificate, as PEM.',
    helpValue: 'FILE',
    dependsOn: ['tls-key'],
  }),
  'tls-key': Flags.string({summary: 'Its key, as PEM.', helpValue: 'FILE', dependsOn: ['tls-cert']}),
  'allow-secret-overrides': Flags.boolean({
    summary: 'Accept overrides of passwords and keys that kk stores.',
  }),
  'rate-limit': Flags.integer({
    summary: 'The number of requests per minute and client address; further requests get status 429.',
    helpValue: 'N',
    default: 60_000,
    min: 1,
  }),
  'log-level': Flags.option({
    summary: 'The level of the JSON log on standard error.',
    options: ['silent', 'error', 'warn', 'info', 'debug'] as const,
    default: 'info',
  })(),
  ...localOverridesFlags,
}
export type ServeFlags = FlagValues<typeof serveFlags>
