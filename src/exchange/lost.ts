import {releaseName} from '../release.ts'
import {environmentSecret, inStep} from './argo-workflows/write.ts'
import {certificateLines} from './certificates.ts'
import {type Exported, type ExportedRelease, releasesOf, secretsFile} from './exported.ts'
import {CONTROL_NAMESPACE} from './flux/target.ts'
import {secretName, VALUES_KEY} from './flux/write.ts'

export const FORMATS = ['flux', 'argo-workflows', 'argocd', 'helmfile', 'armada', 'helm'] as const
export type Format = (typeof FORMATS)[number]

/** Something of an environment that an export loses, and the parts that it concerns. */
export interface Loss {
  readonly what: string
  /** What the tool does instead. */
  readonly instead: string
  /** The releases, edges or charts concerned; empty for the whole environment. */
  readonly of: readonly string[]
}

/** A feature of kk, and the substitute in each format that lacks it. */
interface Row {
  readonly what: string
  /** Returns the parts of the environment concerned; undefined if none. */
  readonly of: (exported: Exported) => readonly string[] | undefined
  readonly instead: Partial<Readonly<Record<Format, string>>>
}

const ALL: Row['of'] = () => []

const LOSSES: readonly Row[] = [
  {
    what: 'Runs: leases, records, resume, refusals',
    of: ALL,
    instead: {
      flux: 'each HelmRelease is reconciled separately: two managers of a release are not refused, and deleting a HelmRelease uninstalls it even if other releases require it (suspend it first)',
      argocd:
        'each Application is reconciled separately; there are no Helm records, because Argo CD renders and applies',
      helmfile:
        'helmfile takes no lease, and starts over after an interruption; helmfile destroy does not ask for confirmation',
      armada: 'Armada takes its own lock; the first group that fails ends the run',
      helm: 'the script ends at the first failure, and starts over when it is run again; it removes nothing',
    },
  },
  {
    what: 'The order: every release starts as soon as it can, the longest path first',
    of: ({groups}) => (groups.length > 1 ? [] : undefined),
    instead: {
      flux: 'a HelmRelease checks every 30 s whether its dependencies are ready (--requeue-dependency of helm-controller)',
      argocd:
        'releases are deployed in waves with a barrier between them, and only if one parent Application applies the folder, with the health of Application configured in argocd-cm',
      helmfile: 'releases are deployed in levels with a barrier between them',
      armada: 'releases are deployed in groups with a barrier between them',
      helm: 'releases are deployed one after the other',
    },
  },
  {
    what: 'The gate of releases with hooks that run after the rest',
    of: (exported) => namesIf(exported, ({hooksAfter}) => hooksAfter),
    instead: {
      flux: 'disableWait: ready means that their hooks have ended; Flux does not wait for their pods, which would take forever',
      argocd:
        'Argo CD waits for their pods before it runs these hooks, and pods that wait for the hooks wait forever: give the hooks the annotation argocd.argoproj.io/hook: Sync',
      helmfile: 'wait: false: ready means that their hooks have ended; helmfile does not wait for their pods',
      armada:
        'native.enabled: false: Armada waits for the pods of the release by the label release_group, as openstack-helm sets it',
      helm: 'without --wait: ready means that their hooks have ended; helm does not wait for their pods',
    },
  },
  {
    what: 'Rules of readiness (kk.readiness)',
    of: ({readiness}) => orNone(readiness),
    instead: {
      flux: 'not exported: set healthCheckExprs',
      argocd: 'not exported: set resource.customizations.health in argocd-cm',
      helmfile: 'not exported: helm does not wait for these kinds',
      armada: 'not exported: Armada does not wait for these kinds',
      helm: 'not exported: helm does not wait for these kinds',
    },
  },
  {
    what: 'Requirements of the kind applied',
    of: (exported) => edgesIf(exported, ({kind, soft}) => kind === 'applied' && !soft),
    instead: fill(
      'the tool waits until the required release is ready, which is stricter; if that release in turn needs the other one to become ready, both wait',
    ),
  },
  {
    what: 'Requirements inside a group of releases that need each other',
    of: ({groups}) =>
      orNone(groups.filter(({length}) => length > 1).map((each) => each.map(({name}) => name).join(' ⇄ '))),
    instead: fill('they start concurrently, and an import restores no requirement among them'),
  },
  {
    what: 'Soft requirements, which only order',
    of: (exported) => edgesIf(exported, ({soft}) => soft === true),
    instead: fill('an ordinary requirement: if the first fails, the other is not deployed'),
  },
  {
    what: 'Requirements on releases of other environments',
    of: (exported) =>
      orNone(
        releasesOf(exported).flatMap(({name, foreignRequirements}) =>
          foreignRequirements.map((to) => `${name} → ${to}`),
        ),
      ),
    instead: fill('not exported: install them first'),
  },
  {
    what: 'Protected releases',
    of: (exported) => namesIf(exported, (release) => release.protected),
    instead: {
      flux: 'pruned by no Kustomization; deleting the HelmRelease itself uninstalls it',
      argocd: 'neither pruned nor deleted with the Application; kubectl can still delete them',
      helmfile: 'helmfile destroy uninstalls them, too',
      armada: 'continue_processing: false ends the run when they fail; nothing prevents their purge',
      helm: 'helm uninstall uninstalls them, too',
    },
  },
  {what: 'Timeouts', of: (exported) => namesIf(exported, () => true), instead: {argocd: 'a sync has none'}},
  {
    what: 'Secrets',
    of: (exported) => namesIf(exported, ({secrets}) => secrets.length > 0),
    instead: {
      argocd:
        'an Application cannot express them: they are omitted; add them with an Argo CD plugin for secrets',
      armada:
        'they are omitted: substitute them with Deckhand, or merge them over the manifest with armada apply --values',
    },
  },
  {
    what: 'Warnings of expiring certificates (kk doctor), and their renewal',
    of: ({certificates}) => orNone(certificateLines(certificates)),
    instead: {
      ...fill(
        'the tool neither renews certificates nor warns; those that kk has issued all expire with its authority, the earliest listed first',
      ),
      'argo-workflows':
        'a workflow renews those of kk only when it runs after kk secrets rotate; they all expire with the authority, the earliest listed first',
    },
  },
  {
    what: 'Facts of the cluster, which was not specified',
    of: ({unknownFacts}) => orNone(unknownFacts),
    instead: fill(
      'system overrides are computed without them, so replicas, memory and workers have the default values of the charts: applied to a cloud that kk has installed, this scales it down. Specify its cluster (--context, --sandbox), or its facts (--facts)',
    ),
  },
  {
    what: 'Values that kk recomputes: system overrides, and those of its store',
    of: (exported) => namesIf(exported, ({frozen}) => frozen),
    instead: {
      ...fill('as computed at the export, from the facts known at that time'),
      'argo-workflows': 'the steps need the store (KK_STORE) and read the facts of their own cluster',
    },
  },
  {
    what: 'Former releases after a change of a namespace, of a chart name, or of kk.name, which kk does not uninstall',
    of: ALL,
    instead: {
      flux: 'a HelmRelease whose targetNamespace, or whose chart, changes uninstalls the former release, protected or not, and so does a Kustomization with prune if the name of the HelmRelease changes: suspend the HelmRelease and delete it beforehand (kk docs leaving)',
      argocd:
        'an Application whose namespace changes no longer manages the objects in the former namespace, and may prune them: delete the Application beforehand, with --cascade=false',
    },
  },
  {
    what: 'Objects changed by hand: kk drift, and kk upgrade --correct-drift',
    of: ALL,
    instead: {
      flux: 'the changes stay until the release is upgraded: set spec.driftDetection.mode',
      argocd: 'they are reported as out of sync and stay: set syncPolicy.automated.selfHeal',
    },
  },
  {
    what: 'The unmodified version of a chart from a registry',
    of: (exported) => namesIf(exported, ({chart}) => chart.source?.kind === 'oci'),
    instead: {
      flux: 'the digest of its manifest is added (helm.sh/chart: mariadb-0.1.0_d19632edb7b2): the same chart pushed again, or to another registry, creates a new revision of each release but replaces no pod; the feature gate DisableChartDigestTracking of helm-controller turns it off',
    },
  },
  {
    what: 'Logins of registries and repositories',
    of: ALL,
    instead: {
      flux: 'none is written: patch the objects of sources.yaml with spec.secretRef, or with spec.insecure for registries without TLS',
      argocd: 'none is written: add the repository with its login to Argo CD',
    },
  },
  {
    what: 'Digests of charts',
    of: (exported) => namesIf(exported, ({chart}) => chart.isLocked && chart.source !== undefined),
    instead: {
      flux: 'the version alone',
      argocd: 'the version alone',
      helmfile: 'the version alone: helmfile deps writes a helmfile.lock',
      helm: 'the version alone',
    },
  },
  {
    what: 'Charts in directories',
    of: ({directories}) => orNone(directories.map(inStep)),
    instead: {
      'argo-workflows':
        'they must be in the image of kk, or mounted, at the paths to which the environment file refers in a step',
    },
  },
  {
    what: 'Names of Helm records',
    of: ALL,
    instead: {
      armada:
        'Armada prefixes each with its release_prefix, so it does not upgrade the releases that kk installed',
    },
  },
]

/** The formats in which another tool than kk installs the releases. */
function fill(text: string): Row['instead'] {
  return {flux: text, argocd: text, helmfile: text, armada: text, helm: text}
}

/** Returns what an export of an environment in a format loses. */
export function lossesOf(format: Format, exported: Exported): readonly Loss[] {
  return LOSSES.flatMap(({what, of, instead}) => {
    const text = instead[format]
    const parts = text === undefined ? undefined : of(exported)
    return parts ? [{what, instead: text!, of: parts}] : []
  })
}

/**
 * The commands that write the secrets, which an export only lists, to where the tool reads them; they are
 * idempotent.
 */
const SECRETS: Partial<
  Readonly<Record<Format, (releases: readonly ExportedRelease[], exported: Exported) => readonly string[]>>
> = {
  flux: (releases, exported) => [
    'supply() {',
    // A variable: if kk fails, a Secret without values would replace a good one.
    `  values="$(${command('"$1"')})" && printf '%s\\n' "$values" |`,
    `    kubectl create secret generic "$2" --namespace ${CONTROL_NAMESPACE} --from-file=${VALUES_KEY}=/dev/stdin ${DRY_RUN} |`,
    '    kubectl label --local --filename - reconcile.fluxcd.io/watch=Enabled --output yaml |',
    `    ${APPLY}`,
    '}',
    ...releases.map((release) => `supply ${release.name} ${secretName(release, exported)}`),
  ],
  helmfile: toFiles,
  helm: toFiles,
}

const DRY_RUN = '--dry-run=client --output yaml'
const APPLY = 'kubectl apply --server-side --filename -'

function toFiles(releases: readonly ExportedRelease[]): readonly string[] {
  return releases.map(({name}) => `${command(name)} > ${secretsFile({name})}`)
}

function command(name: string): string {
  return `kk values show ${name} --secrets --show-secrets`
}

/** Returns the content of `LOST.md`. */
export function lostText(format: Format, exported: Exported): string {
  const losses = lossesOf(format, exported)
  const title = `# What the export of ${exported.name} for ${format} loses`
  const sections = losses.flatMap(({what, instead, of}) => [
    `## ${what}`,
    `Instead: ${instead}.`,
    ...(of.length === 0 ? [] : [of.map((each) => `- ${each}`).join('\n')]),
  ])
  const none = losses.length === 0 ? ['Nothing.'] : []
  return `${[title, ...none, ...sections, ...supplied(format, exported)].join('\n\n')}\n`
}

/** Returns the sections on what the user must supply: secrets, and the file that steps of a workflow read. */
function supplied(format: Format, exported: Exported): readonly string[] {
  if (format === 'argo-workflows') {
    const {name, digest, isMerged} = exported.file
    const [merging, content] = isMerged ? [`kk values split ${name} --merged | `, '=/dev/stdin'] : ['', '']
    return [
      '# What you must supply',
      `The steps read the environment file from a Secret, and refuse one whose digest is not sha256:${digest}:`,
      fenced([
        `${merging}kubectl create secret generic ${environmentSecret(exported)} --from-file=${name}${content} ${DRY_RUN} | ${APPLY}`,
      ]),
    ]
  }
  const secret = releasesOf(exported).filter(({secrets}) => secrets.length > 0)
  const secretCommands = SECRETS[format]
  if (exported.sops || secret.length === 0) return []
  const places = secret.map(({name, secrets}) => `- ${name}: ${secrets.join(', ')}`)
  return [
    '# What you must supply',
    'Secrets are not part of the export. These values are:',
    places.join('\n'),
    ...(secretCommands
      ? [
          'With the environment file as `KK_ENVIRONMENT`, and with the cluster that stores the secrets of kk as the current kubeconfig context:',
          fenced(secretCommands(secret, exported)),
        ]
      : []),
  ]
}

function fenced(lines: readonly string[]): string {
  return ['```sh', ...lines, '```'].join('\n')
}

function namesIf(
  exported: Exported,
  isConcerned: (release: ExportedRelease) => boolean,
): readonly string[] | undefined {
  return orNone(
    releasesOf(exported)
      .filter(isConcerned)
      .map(({name}) => name),
  )
}

function edgesIf(
  exported: Exported,
  isConcerned: (edge: ExportedRelease['requires'][number]) => boolean,
): readonly string[] | undefined {
  const edges = releasesOf(exported).flatMap(({name, requires}) =>
    requires.filter(isConcerned).map(({to}) => `${name} → ${releaseName(to)}`),
  )
  return orNone(edges)
}

function orNone(parts: readonly string[]): readonly string[] | undefined {
  return parts.length === 0 ? undefined : parts
}
