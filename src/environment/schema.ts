import {TIME_PATTERN, TIME_TITLE} from '../base/duration.ts'
import {JSON_PATH_PATTERN} from '../base/readiness.ts'
import type {JsonSchema} from '../base/validate.ts'

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'

/** Returns the schema of a string. */
export function text(title: string, description: string, rest: JsonSchema = {}): JsonSchema {
  return {title, description, type: 'string', ...rest}
}

export function yesOrNo(description: string, rest: JsonSchema = {}): JsonSchema {
  return {title: 'true or false', description, type: 'boolean', ...rest}
}

function list(title: string, description: string, items: JsonSchema, rest: JsonSchema = {}): JsonSchema {
  return {title, description, type: 'array', items, ...rest}
}

export const NAMESPACE = {
  title: 'the name of a namespace: at most 63 lower-case letters, digits and dashes',
  type: 'string',
  pattern: `^${LABEL}$`,
  maxLength: 63,
} as const satisfies JsonSchema

/** A file on the machine that reads the environment; `-` and addresses are none. */
const FILE: JsonSchema = {title: 'the path of a file', type: 'string', pattern: '^(?!-$|.*://).'}

const OF_PACKAGES = {
  version: {$ref: '#/$defs/chartVersion'},
  digest: {$ref: '#/$defs/digest'},
  keyring: {$ref: '#/$defs/keyring'},
}

const DEFINITIONS: Readonly<Record<string, JsonSchema>> = {
  releaseName: {
    title: 'the name of a release: at most 53 lower-case letters, digits and dashes',
    type: 'string',
    pattern: `^${LABEL}$`,
    maxLength: 53,
  },
  namespace: NAMESPACE,
  secretReference: {
    title: '{secret, key, namespace}',
    description: 'A key of a Secret, which someone else creates and changes.',
    type: 'object',
    properties: {
      secret: text('the name of a Secret', 'The Secret.', {pattern: '.'}),
      key: text('a key of the Secret', 'The key with the value.', {pattern: '.'}),
      namespace: {
        ...NAMESPACE,
        description: 'The namespace of the Secret; defaults to that of the release that gets the value.',
      },
    },
    required: ['secret', 'key'],
    additionalProperties: false,
  },
  edgeKind: text(
    '"ready" or "applied"',
    '`ready`: the required release is healthy first. `applied`: the objects of its manifest exist first; neither its health nor its hooks are awaited.',
    {enum: ['ready', 'applied'], default: 'ready'},
  ),
  requirement: {
    title: 'a requirement: name, name:applied, namespace/name, or {release, namespace, kind}',
    anyOf: [
      {
        title: 'name, name:applied or namespace/name',
        description:
          'A release, or `namespace/release` of another environment; the suffix `:applied` changes the kind.',
        type: 'string',
        pattern: `^(${LABEL}/)?${LABEL}(:(ready|applied))?$`,
        examples: ['placement', 'neutron:applied', 'infra/mariadb'],
      },
      {
        title: '{release, namespace, kind}',
        description: 'The long form.',
        type: 'object',
        properties: {
          release: {$ref: '#/$defs/releaseName', description: 'The required release.'},
          namespace: {
            $ref: '#/$defs/namespace',
            description: 'Its namespace; defaults to that of this release.',
          },
          kind: {$ref: '#/$defs/edgeKind'},
        },
        required: ['release'],
        additionalProperties: false,
      },
    ],
  },
  digest: {
    title: 'a digest: sha256: and 64 hexadecimal digits',
    description: 'The digest that the package must have.',
    type: 'string',
    pattern: '^sha256:[0-9a-f]{64}$',
  },
  keyring: text(
    'a file',
    'Public keys, as `gpg --export` writes them: each package must be signed by one of them. Relative to this file.',
    {pattern: '^.', examples: ['charts-keys.gpg']},
  ),
  chartVersion: text(
    'the version of a chart, or a range of versions',
    'The version of the charts, or a range; the newest one by default.',
    {examples: ['2026.1.0', '^1.2']},
  ),
  chartSource: {
    title: 'a path, an oci:// address, "built-in", {repository: URL} or {oci: ADDRESS}',
    anyOf: [
      text(
        'a path, an oci:// address or "built-in"',
        'A directory that holds charts, relative to this file; or `oci://registry/path`; or `built-in` for the charts that kk carries.',
        {pattern: '^(?!https?:).', examples: ['../charts', 'oci://registry.example.org/charts', 'built-in']},
      ),
      {
        title: '{repository, version, digest, keyring}',
        description: 'A chart repository with an index.',
        type: 'object',
        properties: {
          repository: text('an http:// or https:// address', 'The address under which its `index.yaml` is.', {
            pattern: '^https?://.',
          }),
          ...OF_PACKAGES,
        },
        required: ['repository'],
        additionalProperties: false,
      },
      {
        title: '{oci, version, digest, keyring}',
        description: 'A registry.',
        type: 'object',
        properties: {
          oci: text('an oci:// address', 'The address to which the name of a chart is added.', {
            pattern: '^oci://.',
          }),
          ...OF_PACKAGES,
        },
        required: ['oci'],
        additionalProperties: false,
      },
    ],
  },
  release: {
    title: 'a map of settings of a release',
    description: 'Settings that differ from "chart X as release X in the default namespace".',
    type: ['object', 'null'],
    properties: {
      chart: text('the name of a chart', 'The chart; by default the one of the same name as the release.', {
        pattern: '^[A-Za-z0-9]([-._A-Za-z0-9]*[A-Za-z0-9])?$',
        examples: ['ingress'],
      }),
      version: {$ref: '#/$defs/chartVersion', description: 'The version of the chart, or a range.'},
      namespace: {$ref: '#/$defs/namespace', description: 'The namespace; by default `kk.namespace`.'},
      requires: list(
        'a list of requirements',
        'Releases that this one needs, in addition to those that its chart names.',
        {$ref: '#/$defs/requirement'},
        {examples: [['placement', 'neutron:applied']]},
      ),
      without: list(
        'a list of names of releases',
        'Requirements of the chart, or inferred ones, to drop in this environment.',
        {$ref: '#/$defs/releaseName'},
        {examples: [['memcached']]},
      ),
      protected: yesOrNo(
        'No command removes the release unless it is named and confirmed; defaults to the annotation of the chart.',
      ),
      infer: yesOrNo(
        'Whether the requirements of the release are inferred from what its chart renders; by default those of charts that state none, unless `kk.infer` is false.',
      ),
      secrets: yesOrNo(
        'Whether kk makes passwords and keys of the release that no layer of values sets; defaults to `kk.secrets`. With false, the defaults of the chart apply.',
      ),
      components: yesOrNo(
        'Whether the section becomes a release per component of its chart: `nova-common`, `nova-api`, `nova-conductor`, and so on. Immutable once the section is installed.',
        {default: false},
      ),
      values: list(
        'a list of files',
        'Values files, relative to this file. Later files override earlier ones; the section overrides all of them.',
        FILE,
        {examples: [['keystone.yaml']]},
      ),
      timeout: text(TIME_TITLE, 'How long the release may take until it is healthy.', {
        pattern: TIME_PATTERN,
        examples: ['20m'],
      }),
      unavailable: {
        title: 'a number of pods, or a percentage such as 5%',
        description:
          'How many pods of each Deployment and DaemonSet of the release its gate need not wait for. A percentage is rounded down, and at least one pod must be available.',
        type: ['integer', 'string'],
        minimum: 0,
        pattern: '^[1-9]?[0-9]%$',
        default: 0,
        examples: [2, '5%'],
      },
      migrations: list(
        'a list of revisions',
        'Migrations of databases that an upgrade may apply although they drop what the old release uses, or lock a large table.',
        {type: 'string', title: 'a revision, such as ab450ba04102'},
        {examples: [['ab450ba04102']]},
      ),
    },
    additionalProperties: false,
  },
}

/** The schema of a section, and of a file with values of its release. */
export const SECTION_SCHEMA: JsonSchema = {
  title: 'a map of values',
  description:
    'A section: a release of this name is deployed, with these values; empty for the defaults of its chart.',
  type: ['object', 'null'],
  properties: {
    global: {
      title: 'a map of values',
      description: 'Overrides the common `global`, for this release only.',
      type: ['object', 'null'],
    },
  },
}

/** The schema of environment files: `kk schema environment`, the reader and the reference in docs/ use it. */
export const ENVIRONMENT_SCHEMA: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://kk.openstack.org/schema/environment.json',
  title: 'a map of sections',
  description:
    'An environment of kk: the desired state of a cloud. Every key except `kk` and `global` is a section: the values of the release of that name.',
  type: 'object',
  properties: {
    kk: {
      title: "a map of kk's settings",
      description: "kk's own settings; no release gets them.",
      type: ['object', 'null'],
      properties: {
        name: text(
          'a name: at most 63 letters, digits, dashes, dots and underscores, a letter or digit at both ends',
          "The name of the environment, by which it owns its releases; by default the file's name without its extension.",
          {pattern: '^[A-Za-z0-9]([-._A-Za-z0-9]*[A-Za-z0-9])?$', maxLength: 63, examples: ['all-in-one']},
        ),
        include: list(
          'a list of files',
          'Environment files that this file is merged over, relative to this file. Later files override earlier ones.',
          FILE,
          {examples: [['common.yaml']]},
        ),
        namespace: {
          $ref: '#/$defs/namespace',
          description: 'The default namespace of releases.',
          default: 'openstack',
        },
        context: text(
          'the name of a kubeconfig context',
          'The kubeconfig context that this environment belongs to; it is checked, never guessed.',
          {pattern: '.', examples: ['production']},
        ),
        charts: list(
          'a list of sources of charts',
          'Where charts are found; the first source that has a chart wins.',
          {$ref: '#/$defs/chartSource'},
          {default: ['built-in'], examples: [['../charts', {repository: 'https://charts.example.org'}]]},
        ),
        features: {
          title: 'a list of names of features',
          description:
            'Names of files `values_overrides/<chart>/<feature>.yaml` next to the charts, or `values_overrides/<feature>.yaml` in their packages, whose values the sections override. Files of several features, joined by `-`, are included.',
          type: 'array',
          items: {
            title: 'the name of a feature',
            type: 'string',
            pattern: '^[A-Za-z0-9]([-._A-Za-z0-9]*[A-Za-z0-9])?$',
          },
          examples: [['2025.1', 'noble']],
        },
        infer: yesOrNo(
          'Whether the requirements of charts that state none are inferred from what they render.',
          {default: true},
        ),
        secrets: {
          title: 'true, false or {NAME: {secret, key}}',
          description:
            'Whether kk makes the passwords and keys that charts read and no layer of values sets. With false, the defaults of the charts apply. A map takes those that it names from Secrets of the cluster, and kk makes the others.',
          anyOf: [
            yesOrNo('Whether kk makes them.'),
            {
              title: 'a map of names of secrets',
              description: 'The Secret and the key of each secret, by its name in `kk secrets list`.',
              type: 'object',
              additionalProperties: {$ref: '#/$defs/secretReference'},
            },
          ],
          default: true,
          examples: [{'identity.admin.password': {secret: 'keystone-admin', key: 'password'}}],
        },
        given: {
          title: 'a list of objects',
          description:
            'Objects that exist on the cluster without a chart of this environment, and so are not reported as missing: `Kind/name`, or `namespace/Kind/name`.',
          type: 'array',
          items: {
            title: 'an object: Kind/name or namespace/Kind/name',
            type: 'string',
            pattern: '^[^/]+(/[^/]+){1,2}$',
          },
          examples: [['Secret/wildcard-tls', 'kube-system/Service/kube-dns']],
        },
        conf: {
          title: '{allow}',
          description:
            'Settings of the check of `conf`: `allow` lists what it lets through, for plugins from outside of OpenStack.',
          type: ['object', 'null'],
          properties: {
            allow: {
              title: 'a list of sections and options',
              description:
                'Sections and options that a plugin reads, by their path below `conf`: `FILE.SECTION` or `FILE.SECTION.OPTION`.',
              type: 'array',
              items: {
                title: 'a path: FILE.SECTION or FILE.SECTION.OPTION',
                type: 'string',
                pattern: '^[^.\\s]+\\..',
              },
              examples: [['nova.my_plugin', 'neutron.DEFAULT.my_option']],
            },
          },
          additionalProperties: false,
          examples: [{allow: ['nova.my_plugin', 'neutron.DEFAULT.my_option']}],
        },
        readiness: {
          title: 'a map of rules by kind',
          description:
            'Readiness rules for custom resources whose conditions do not indicate readiness: by `Kind.group`, a path in the object and its value when ready.',
          type: ['object', 'null'],
          propertyNames: {
            title: 'a kind with its group, such as MariaDB.k8s.mariadb.com',
            type: 'string',
            pattern: '^[A-Z][A-Za-z0-9]*\\.[a-z0-9.-]+$',
          },
          additionalProperties: {
            title: '{path, value}',
            description: 'Objects of this kind are ready when the path has this value.',
            type: 'object',
            properties: {
              path: text(
                'a JSON path such as .status.phase',
                'As `kubectl wait --for=jsonpath` takes it: of `.key`, `[0]` and `[?(@.key=="value")]`.',
                {
                  pattern: JSON_PATH_PATTERN,
                  examples: ['.status.phase', '.status.conditions[?(@.type=="Synced")].status'],
                },
              ),
              value: {
                title: 'a string, or a list of strings',
                description: 'The value when ready, or a list of such values.',
                anyOf: [
                  {title: 'a string', type: 'string'},
                  {
                    title: 'a list of strings',
                    type: 'array',
                    items: {title: 'a string', type: 'string'},
                    minItems: 1,
                  },
                ],
                examples: ['Ready'],
              },
            },
            required: ['path', 'value'],
            additionalProperties: false,
          },
        },
        releases: {
          title: 'a map of releases',
          description: 'Settings of releases, by name.',
          type: ['object', 'null'],
          propertyNames: {$ref: '#/$defs/releaseName', pattern: `^(?!(kk|global)$)${LABEL}$`},
          additionalProperties: {$ref: '#/$defs/release'},
        },
      },
      additionalProperties: false,
    },
    global: {
      title: 'a map of values',
      description: 'Values of every release.',
      type: ['object', 'null'],
    },
  },
  propertyNames: {$ref: '#/$defs/releaseName'},
  additionalProperties: SECTION_SCHEMA,
  $defs: DEFINITIONS,
}
