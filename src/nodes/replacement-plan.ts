/** The members of a replicated service in one release, as a node's loss leaves them. */
export interface MemberSet {
  /** The StatefulSet, as `namespace/name`. */
  readonly name: string
  readonly chart: string
  readonly component: string
  /** The members whose volume is on the node, and on no other. */
  readonly lost: readonly LostMember[]
  /** The pods of the members that run elsewhere. */
  readonly others: readonly string[]
  /** Why the others cannot do without the lost ones. */
  readonly doubts: readonly string[]
  /** What the others still list as a member, or an osd, and forget. */
  readonly listed: readonly string[]
}

export interface LostMember {
  /** The pod, as `namespace/name`. */
  readonly pod: string
  /** Its claims, as `namespace/name`. */
  readonly claims: readonly string[]
}

/** How the members of a lost node begin again elsewhere, with the data of the others. */
export interface ReplacementPlan {
  readonly node: string
  /** The node that takes its place; undefined for any that the charts select. */
  readonly replacement: string | undefined
  /** The labels that the replacement lacks. */
  readonly labels: Readonly<Record<string, string>>
  readonly members: readonly MemberSet[]
  /**
   * The other pods of StatefulSets there, as `namespace/name`: Kubernetes replaces none whose end is unknown.
   */
  readonly pods: readonly string[]
  /** The claims whose data no other member has. */
  readonly lostClaims: readonly string[]
  /** What speaks against it; nothing is given up then. */
  readonly refusals: readonly string[]
}

/** Plans how the members of a lost node begin again; pure. */
export function planReplacement(
  seen: Pick<ReplacementPlan, 'node' | 'replacement' | 'labels' | 'pods' | 'lostClaims'> & {
    /** Whether the kubelet of the node reports. */
    readonly isAlive: boolean
    readonly lacks: readonly string[]
    readonly sets: readonly MemberSet[]
  },
): ReplacementPlan {
  const {isAlive, lacks, sets, ...plan} = seen
  const members = sets.filter(({lost, listed}) => lost.length > 0 || listed.length > 0)
  return {
    ...plan,
    members,
    refusals: [
      ...(isAlive && members.length > 0 ? ['its kubelet reports to Kubernetes'] : []),
      ...lacks,
      ...members.flatMap(({name, others, doubts: own}) =>
        others.length === 0 ? [`${name} has no other member that runs`] : own.map((why) => `${name}: ${why}`),
      ),
    ],
  }
}
