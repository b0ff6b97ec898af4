import {instance} from '@viz-js/viz'

/** The drawings of the guides, by the names of their files in `docs/images/`; in the style of `kk graph`. */
export async function drawings(): Promise<ReadonlyMap<string, string>> {
  const viz = await instance()
  const drawn = Object.entries(DOT).map(([name, body]) => {
    const dot = `digraph ${name} {\n${STYLE}\n${body}\n}\n`
    return [`${name}.svg`, viz.renderString(dot, {format: 'svg', engine: 'dot'})] as const
  })
  return new Map([...drawn, ['upgrade.svg', timeline()]])
}

const STYLE = `
  graph [bgcolor=white, fontname="Helvetica", fontsize=11, nodesep=0.3, ranksep=0.5, pad=0.2, compound=true];
  node [shape=box, style="rounded,filled", fillcolor="#eef3fb", color="#3b6ea8", fontname="Helvetica", fontsize=13, margin="0.24,0.09"];
  edge [color="#55606e", fontname="Helvetica", fontsize=11, arrowsize=0.7];`

const DOT = {
  /** From the file to the cluster: for the README and concepts. */
  flow: `
  rankdir=LR;
  file [label="environment\\nproduction.yaml", shape=note, style=filled];
  charts [label="charts", shape=folder, style=filled];
  facts [label="facts of\\nthe cluster"];
  subgraph cluster_kk {
    label="kk"; style="rounded,filled"; color="#3b6ea8"; fillcolor="#f7f9fc"; fontsize=13;
    layers [label="values of each release:\\nchart < features < facts < global <\\nsection < overrides < --values < --set"];
    graph_ [label="graph:\\nwho requires what"];
    plan [label="plan:\\neach change, with its reason"];
    run [label="run: a release starts when\\nits requirements are healthy"];
  }
  helm [label="helm", fillcolor="#fdf3e3", color="#b07a1e"];
  cluster [label="cluster", shape=cylinder, style=filled];
  file -> layers; charts -> layers; charts -> graph_; facts -> layers; file -> graph_;
  layers -> plan; graph_ -> plan; plan -> run [label="you agree"];
  run -> helm [label="one process\\nper release"]; helm -> cluster;
  cluster -> run [label="healthy?", style=dashed, constraint=false];`,

  /** What each verb may change, as nested sets: for operating. */
  verbs: `
  rankdir=LR; node [shape=plaintext, style="", fontsize=12];
  subgraph cluster_deploy { label="kk deploy"; labeljust=l; style="rounded,filled"; color="#3b6ea8"; fillcolor="#ffffff"; fontsize=13;
    d [label="installs what is missing"];
    subgraph cluster_upgrade { label="kk upgrade"; labeljust=l; style="rounded,filled"; color="#3b6ea8"; fillcolor="#f7f9fc";
      u [label="versions of charts,\\nreleases of OpenStack,\\nmigrations"];
      subgraph cluster_update { label="kk update"; labeljust=l; style="rounded,filled"; color="#3b6ea8"; fillcolor="#eef3fb";
        p [label="images of the same release,\\nfiles of charts"];
        subgraph cluster_reconfigure { label="kk reconfigure"; labeljust=l; style="rounded,filled"; color="#3b6ea8"; fillcolor="#dbe6f5";
          r [label="values"];
        }
      }
    }
  }
  d -> u -> p -> r [style=invis];`,

  /** States of a release in helm's words, and the command at each arrow: for recovery. */
  states: `
  rankdir=TB; node [fontsize=12];
  none [label="not installed", fillcolor="#ffffff"];
  pending [label="pending-install, pending-upgrade,\\npending-rollback", fillcolor="#fdf3e3", color="#b07a1e"];
  deployed [label="deployed,\\ngate not passed", fillcolor="#fdf3e3", color="#b07a1e"];
  healthy [label="deployed, healthy", fillcolor="#e6f4e6", color="#3f8a3f"];
  failed [label="failed", fillcolor="#fbe9e7", color="#b3392b"];
  uninstalling [label="uninstalling", fillcolor="#fdf3e3", color="#b07a1e"];
  none -> pending [label="kk deploy"];
  pending -> deployed [label="helm ends"];
  pending -> failed [label="helm fails; kk marks what a dead run left;\\nkk unlock, if kk did not start it"];
  deployed -> healthy [label="the gate passes"];
  healthy -> pending [label="kk deploy, kk upgrade, kk rollback"];
  deployed -> deployed [label="kk deploy: waits again"];
  failed -> pending [label="kk deploy"];
  healthy -> uninstalling [label="kk remove"];
  failed -> uninstalling [label="kk remove"];
  uninstalling -> none [label="helm ends; kk remove repeats"];`,

  /** Nodes with their labels, and the pods on them: for real hardware. */
  nodes: `
  rankdir=TB; node [fontsize=12];
  subgraph cluster_controllers { label="3 controllers"; style="rounded,filled"; color="#3b6ea8"; fillcolor="#f7f9fc"; fontsize=13;
    control [label="openstack-control-plane=enabled\\n\\nAPIs, schedulers, conductors\\nMariaDB, RabbitMQ, memcached\\nOVN's databases, northd\\ningress"];
    gateway [label="openvswitch=enabled\\nopenstack-network-node=enabled\\n\\nOpen vSwitch, OVN controller:\\nrouters, floating addresses"];
  }
  subgraph cluster_hypervisors { label="hypervisors"; style="rounded,filled"; color="#3b6ea8"; fillcolor="#f7f9fc"; fontsize=13;
    compute [label="openstack-compute-node=enabled\\n\\nlibvirt, nova-compute\\nmetadata agent"];
    switch_ [label="openvswitch=enabled\\n\\nOpen vSwitch, OVN controller"];
  }
  subgraph cluster_storage { label="storage, if kk runs Ceph"; style="rounded,filled"; color="#b07a1e"; fillcolor="#fdf8ef"; fontsize=13;
    osd [label="ceph-osd=enabled\\n(a label of yours)\\n\\nOSDs, one per disk", fillcolor="#fdf3e3", color="#b07a1e"];
  }
  control -> gateway -> compute -> switch_ -> osd [style=invis, constraint=false];`,

  /** The networks of a cloud, with the interfaces and ports of the example: for networking. */
  planes: `
  rankdir=LR; node [fontsize=12]; edge [dir=both, arrowsize=0.6];
  users [label="users", fillcolor="#ffffff"];
  outside [label="external network\\nVLANs 100 to 199", fillcolor="#e6f4e6", color="#3f8a3f"];
  controller [label="controller\\n\\ningress: 80, 443\\nAPIs, databases: ports in pods"];
  gateway [label="node with\\nopenstack-network-node\\n\\nbr-ex on bond1"];
  hypervisor [label="hypervisor\\n\\ninstances, br-int\\nconsoles: 5900 and up"];
  ceph [label="Ceph\\n\\n3300, 6789\\n6800 to 7568", fillcolor="#fdf3e3", color="#b07a1e"];
  users -> controller [label="HTTPS"];
  users -> outside;
  outside -> gateway [label="bond1"];
  gateway -> hypervisor [label="Geneve, UDP 6081\\nbond0.20"];
  controller -> hypervisor [label="cluster network:\\nRPC, OVN, consoles"];
  controller -> ceph [label="images, volumes"];
  hypervisor -> ceph [label="disks"];`,

  /** The layers of values, the strongest at the top: for concepts. */
  layers: `
  rankdir=TB; nodesep=0.1; ranksep=0.12; node [width=5.2, fontsize=12]; edge [style=invis];
  set [label="--set, --set-string", fillcolor="#dbe6f5"];
  values [label="--values RELEASE=FILE", fillcolor="#dbe6f5"];
  user [label="user overrides: kk overrides, REST API"];
  section [label="section of the release in the environment"];
  global_ [label="global of the environment"];
  system [label="system overrides: from facts of the cloud"];
  features [label="feature files: kk.features", fillcolor="#f7f9fc"];
  defaults [label="defaults of the chart", fillcolor="#f7f9fc"];
  set -> values -> user -> section -> global_ -> system -> features -> defaults;`,

  /** The operator, its topologies and a hub of several clusters: for operators. */
  operator: `
  rankdir=LR; node [fontsize=12];
  git [label="environment file\\nin a ConfigMap\\nor an artifact", shape=note, style=filled];
  subgraph cluster_hub { label="cluster of the operator"; style="rounded,filled"; color="#3b6ea8"; fillcolor="#f7f9fc"; fontsize=13;
    env [label="Environment:\\nplan, approval, status"];
    parent [label="operator:\\nplans, orders, checks"];
    workers [label="a worker for each\\nservice or component", style="rounded,filled,dashed"];
    releases [label="Release objects:\\nreports"];
  }
  person [label="you: kk operator\\napprove, pause, retry", fillcolor="#ffffff"];
  helm [label="helm", fillcolor="#fdf3e3", color="#b07a1e"];
  here [label="releases here", shape=cylinder, style=filled];
  there [label="releases in\\nother clusters", shape=cylinder, style=filled];
  git -> env; person -> env; env -> parent; parent -> helm [label="topology one"]; parent -> workers [label="per-service,\\nper-component"];
  workers -> helm; helm -> here; helm -> there [label="spec.cluster"]; parent -> releases [style=dashed];`,
} as const

interface Bar {
  readonly row: string
  readonly from: number
  readonly to: number
  readonly text: string
  readonly kind: 'old' | 'job' | 'new'
}

const BARS: readonly Bar[] = [
  {row: 'old pods', from: 0, to: 66, text: 'serve the release before', kind: 'old'},
  {row: 'before pods are replaced', from: 4, to: 20, text: 'upgrade-check', kind: 'job'},
  {row: 'before pods are replaced', from: 20, to: 42, text: 'db-sync or db-expand', kind: 'job'},
  {row: 'new pods', from: 42, to: 100, text: 'start one by one, then serve the new release', kind: 'new'},
  {row: 'after old pods have ended', from: 66, to: 88, text: 'migrations, contract', kind: 'job'},
  {row: 'gate', from: 88, to: 100, text: 'healthy', kind: 'new'},
]

const COLORS = {
  old: ['#eeeeee', '#888888'],
  job: ['#fdf3e3', '#b07a1e'],
  new: ['#eef3fb', '#3b6ea8'],
} as const

/** The upgrade of one service on a time line: for upgrading OpenStack. */
function timeline(): string {
  const rows = [...new Set(BARS.map(({row}) => row))]
  const [left, unit, height] = [190, 6.4, 34]
  const labels = rows.map((row, index) => `<text x="12" y="${34 + index * height}">${row}</text>`)
  const bars = BARS.map(({row, from, to, text, kind}) => {
    const [fill, stroke] = COLORS[kind]
    const y = 14 + rows.indexOf(row) * height
    const [x, width] = [left + from * unit, (to - from) * unit]
    const box = `<rect x="${x.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="26" rx="5" fill="${fill}" stroke="${stroke}"/>`
    return `${box}<text x="${(x + width / 2).toFixed(1)}" y="${y + 18}" text-anchor="middle" font-size="12">${text}</text>`
  })
  const [width, bottom] = [left + 100 * unit + 16, 24 + rows.length * height]
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${bottom + 24}" width="${width}" height="${bottom + 24}">`,
    `<rect width="${width}" height="${bottom + 24}" fill="white"/>`,
    '<g font-family="Helvetica,sans-Serif" font-size="13" fill="#222222">',
    ...labels,
    ...bars,
    `<path d="M ${left} ${bottom} H ${width - 16} m -7 -4 l 7 4 l -7 4" fill="none" stroke="#55606e"/>`,
    `<text x="${left}" y="${bottom + 17}" font-size="11" fill="#888888">kk upgrade starts helm</text>`,
    `<text x="${width - 16}" y="${bottom + 17}" font-size="11" fill="#888888" text-anchor="end">time</text>`,
    '</g>',
    '</svg>',
    '',
  ].join('\n')
}
