import {releaseName} from '../release.ts'
import {environmentSecret, inStep} from './argo-workflows/write.ts'
import {certificateLines} from './certificates.ts'
import {type Exported, type ExportedRelease, releasesOf, secretsFile} from './exported.ts'
import {CONTROL_NAMESPACE} from './flux/target.ts'
import {secretName, VALUES_KEY} from './flux/write.ts'

export const FORMATS = ['flux', 'argo-workflows', 'argocd', 'helmfile', 'armada', 'helm'] as const
export type Format = (typeof FORMATS)[number]

/** What an export loses of an environment, and of which of its parts. */
export interface Loss {
  readonly what: string
  /** What the tool does instead. */
  readonly instead: string
  /** The releases, edges or charts that it concerns; none where it concerns the whole environment. */
  readonly of: readonly string[]
}

/** Something that kk does, and what becomes of it in each format that does not. */
interface Row {
  readonly what: string
  /** Returns what of the environment it concerns; undefined where nothing. */
  readonly of: (exported: Exported) => readonly string[] | undefined
  readonly instead: Partial<Readonly<Record<Format, string>>>
}

const ALL: Row['of'] = () => []

const LOSSES: readonly Row[] = [
  {
    what: 'Runs: leases, records, resume, refusals',
    of: ALL,
    instead: {
      flux: 'each HelmRelease is driven for itself: nobody refuses two drivers, and deleting a HelmRelease uninstalls it whoever requires it (suspend it first)',
      argocd:
        'each Application is driven for itself; there are no records of Helm at all, for Argo CD renders and applies',
      helmfile:
        'helmfile takes no lease, and goes on from the start after an interruption; helmfile destroy asks nobody',
      armada: 'Armada takes a lock of its own; a group that fails ends all',
      helm: 'the script ends at the first failure, and starts from the beginning; it removes nothing',
    },
  },
  {
    what: 'The order: what can start, starts, the longest way first',
    of: ({groups}) => (groups.length > 1 ? [] : undefined),
    instead: {
      flux: 'a HelmRelease looks every 30 s whether those before it are ready (--requeue-dependency of helm-controller)',
      argocd:
        'releases go in waves with a barrier between them, and only where one parent Application applies the folder, with the health of Application configured in argocd-cm',
      helmfile: 'releases go in levels with a barrier between them',
      armada: 'releases go in groups with a barrier between them',
      helm: 'releases go one after the other',
    },
  },
  {
    what: 'The gate of releases with hooks that come after the rest',
    of: (exported) => namesIf(exported, ({hooksAfter}) => hooksAfter),
    instead: {
      flux: 'disableWait: ready means that their hooks have ended; their pods are not waited for, which would be for ever',
      argocd:
        'Argo CD waits for their pods before it runs these hooks, and pods that wait for the hooks wait for ever: give the hooks the annotation argocd.argoproj.io/hook: Sync',
      helmfile: 'wait: false: ready means that their hooks have ended; their pods are not waited for',
      armada:
        'native.enabled: false: Armada waits for the pods of the release by the label release_group, as openstack-helm sets it',
      helm: 'without --wait: ready means that their hooks have ended; their pods are not waited for',
    },
  },
  {
    what: 'Rules of readiness (kk.readiness)',
    of: ({readiness}) => orNone(readiness),
    instead: {
      flux: 'not exported: state healthCheckExprs',
      argocd: 'not exported: state resource.customizations.health in argocd-cm',
      helmfile: 'not exported: helm does not wait for these kinds',
      armada: 'not exported: Armada does not wait for these kinds',
      helm: 'not exported: helm does not wait for these kinds',
    },
  },
  {
    what: 'Requirements of the kind applied',
    of: (exported) => edgesIf(exported, ({kind, soft}) => kind === 'applied' && !soft),
    instead: fill(
      'the tool waits until it is ready, which is stricter; if that one needs the other to become ready, both wait',
    ),
  },
  {
    what: 'Requirements inside a group, whose releases need each other',
    of: ({groups}) =>
      orNone(groups.filter(({length}) => length > 1).map((each) => each.map(({name}) => name).join(' ⇄ '))),
    instead: fill('they start side by side, and an import has no requirement among them'),
  },
  {
    what: 'Soft requirements, which only order',
    of: (exported) => edgesIf(exported, ({soft}) => soft === true),
    instead: fill('an ordinary requirement: where the first fails, the other is not tried'),
  },
  {
    what: 'Requirements on releases of other environments',
    of: (exported) =>
      orNone(releasesOf(exported).flatMap(({name, elsewhere}) => elsewhere.map((to) => `${name} → ${to}`))),
    instead: fill('not exported: install them first'),
  },
  {
    what: 'Protected releases',
    of: (exported) => namesIf(exported, (release) => release.protected),
    instead: {
      flux: 'pruned by no Kustomization; deleting the HelmRelease itself uninstalls it',
      argocd: 'neither pruned nor deleted with the Application; kubectl is free to',
      helmfile: 'helmfile destroy takes them, too',
      armada: 'continue_processing: false ends the run where they fail; nothing keeps them from being purged',
      helm: 'helm uninstall takes them, too',
    },
  },
  {what: 'Timeouts', of: (exported) => namesIf(exported, () => true), instead: {argocd: 'a sync has none'}},
  {
    what: 'Secrets',
    of: (exported) => namesIf(exported, ({secrets}) => secrets.length > 0),
    instead: {
      argocd:
        'an Application has no place for them: they are left out; add them with a plugin of Argo CD for secrets',
      armada:
        'they are left out: substitute them with Deckhand, or lay them over the manifest with armada apply --values',
    },
  },
  {
    what: 'Warnings of certificates that end (kk doctor), and who renews them',
    of: ({certificates}) => orNone(certificateLines(certificates)),
    instead: {
      ...fill(
        'the tool renews none, and warns of none; those of kk end all with its authority, the first of these at first',
      ),
      'argo-workflows':
        'a workflow renews those of kk when it runs after kk secrets rotate, and none on its own; they end all with the authority, the first of these at first',
    },
  },
  {
    what: 'Facts of the cluster, which was not named',
    of: ({unknownFacts}) => orNone(unknownFacts),
    instead: fill(
      'system overrides are made without them, so replicas, memory and workers are what the charts have by default: over a cloud that kk has installed, this shrinks what runs. Name its cluster (--context, --sandbox), or state its facts (--facts)',
    ),
  },
  {
    what: 'Values that kk works out anew: system overrides, and those of its store',
    of: (exported) => namesIf(exported, ({frozen}) => frozen),
    instead: {
      ...fill('as they were at the export, of the facts that were known then'),
      'argo-workflows': 'the steps need the store (KK_STORE) and read the facts of their own cluster',
    },
  },
  {
    what: 'After a change of a namespace, of the name of a chart, or of kk.name: the releases of before, which kk does not uninstall',
    of: ALL,
    instead: {
      flux: 'a HelmRelease whose targetNamespace, or whose chart, gets another name uninstalls the release of before, protected or not, and so does a Kustomization with prune where the HelmRelease gets another name: suspend the HelmRelease, and delete it, before (docs/leaving.md)',
      argocd:
        'an Application whose namespace changes no longer manages what is in the namespace before, and may prune it: delete the Application before, with --cascade=false',
    },
  },
  {
    what: 'Objects that were changed by hand: kk drift, and kk upgrade --correct-drift',
    of: ALL,
    instead: {
      flux: 'they stay as they were changed until the release is upgraded: state spec.driftDetection.mode',
      argocd: 'they are shown as out of sync and stay: state syncPolicy.automated.selfHeal',
    },
  },
  {
    what: 'The version of a chart from a registry, as it is',
    of: (exported) => namesIf(exported, ({chart}) => chart.source?.kind === 'oci'),
    instead: {
      flux: 'the digest of its manifest is added (helm.sh/chart: mariadb-0.1.0_d19632edb7b2): the same chart pushed again, or to another registry, makes a new revision of each release, and replaces no pod; the feature gate DisableChartDigestTracking of helm-controller turns it off',
    },
  },
  {
    what: 'Logins of registries and repositories',
    of: ALL,
    instead: {
      flux: 'none is written: patch the objects of sources.yaml with spec.secretRef, or with spec.insecure where there is no TLS',
      argocd: 'none is written: give Argo CD the repository with its login',
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
        'they have to be in the image of kk, or mounted, where the environment file means them in a step',
    },
  },
  {
    what: 'Names of the records of helm',
    of: ALL,
    instead: {
      armada: 'Armada puts its release_prefix before each: what kk installed is not what Armada upgrades',
    },
  },
]

/** The formats in which releases are installed by something else than kk. */
function fill(text: string): Row['instead'] {
  return {flux: text, argocd: text, helmfile: text, armada: text, helm: text}
}

/** Returns what an export in a format loses of an environment. */
export function lossesOf(format: Format, exported: Exported): readonly Loss[] {
  return LOSSES.flatMap(({what, of, instead}) => {
    const text = instead[format]
    const parts = text === undefined ? undefined : of(exported)
    return parts ? [{what, instead: text!, of: parts}] : []
  })
}

/** The commands by which a user puts secrets, which an export only names, where the tool reads them; they can be run again. */
const SECRETS: Partial<
  Readonly<Record<Format, (releases: readonly ExportedRelease[], exported: Exported) => readonly string[]>>
> = {
  flux: (releases, exported) => [
    'supply() {',
    // By a variable: a Secret without values would take the place of a good one where kk fails.
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

/** Returns `LOST.md`. */
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

/** What is not lost, but has to be given: secrets, and the file that steps of a workflow read. */
function supplied(format: Format, exported: Exported): readonly string[] {
  if (format === 'argo-workflows') {
    const {name, digest} = exported.file
    return [
      '# What has to be given',
      `The steps read the environment file from a Secret, and refuse another than sha256:${digest}:`,
      fenced([
        `kubectl create secret generic ${environmentSecret(exported)} --from-file=${name} ${DRY_RUN} | ${APPLY}`,
      ]),
    ]
  }
  const secret = releasesOf(exported).filter(({secrets}) => secrets.length > 0)
  const commandOf = SECRETS[format]
  if (exported.sops || secret.length === 0) return []
  const places = secret.map(({name, secrets}) => `- ${name}: ${secrets.join(', ')}`)
  return [
    '# What has to be given',
    'Secrets are not part of the export. These values are:',
    places.join('\n'),
    ...(commandOf
      ? [
          'With the environment file as `KK_ENVIRONMENT`, and the cluster that keeps what kk has made as the current context of the kubeconfig:',
          fenced(commandOf(secret, exported)),
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
