/**
 * Why an image of Debian's packages and the same image of PyPI's differ in the programs that are on their
 * paths: by the package of Debian that has a program, or by the program.
 */
export type Differences = Readonly<Record<string, string>>

function because(reason: string, names: string): Differences {
  return Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, reason]),
  )
}

/** Packages that are in images of Debian's packages alone. */
export const DEBIAN_PACKAGES: Differences = {
  ...because(
    'packages are built, tested or documented with it',
    `binutils binutils-x86-64-linux-gnu dpkg-dev fontconfig graphviz libgvc6 libxml2-dev libxslt1-dev make patch python3-babel
    python3-calmjs python3-docutils python3-numpy-dev python3-pastescript python3-ply python3-sphinx sphinx-common`,
  ),
  ...because(
    'scripts of packages call it when they are installed',
    'dbconfig-common ieee-data lsb-release sensible-utils sgml-base ucf xml-core',
  ),
  ...because(
    'a library of Debian depends on it, and no service calls it',
    'bzip2 libperl5.40 perl sqlite3 xclip xz-utils',
  ),
  ...because(
    'a command for people, of a library that PyPI has without it or by another name',
    `python3-cbor2 python3-chardet python3-falcon python3-glanceclient python3-jsonpatch python3-jsonschema python3-keyring python3-manilaclient
    python3-monascaclient python3-numpy python3-os-ken python3-pyghmi python3-pysmi
    python3-q-text-as-data python3-rsa`,
  ),
  ...because('agents call it whose place OVN takes, and no image of kk has them', 'conntrack ipset'),
  ...because('nova makes bridges by netlink', 'bridge-utils'),
}

/** Packages that are in some images of Debian's packages alone: those whose names match. */
export const PACKAGES_OF_IMAGES: readonly (readonly [RegExp, Differences])[] = [
  [
    /^nova-(?:base|api|conductor|scheduler|novncproxy)$/,
    because(
      'nova-compute alone calls it, whose images have it in both releases',
      'dmsetup e2fsprogs genisoimage logsave open-iscsi openssh-client systemd udev',
    ),
  ],
  [
    /^ironic-api$/,
    because('the conductor alone calls it, whose images have it in both releases', 'genisoimage ipmitool'),
  ],
  [
    /^ironic-conductor$/,
    because(
      'machines start by virtual media: no deployment by iSCSI is left in ironic, and the chart serves no TFTP',
      'open-iscsi systemd tftpd-hpa udev xinetd',
    ),
  ],
  [
    /^glance-api$/,
    because(
      'a store in volumes of cinder attaches them with it, which the chart has not',
      'open-iscsi systemd udev',
    ),
  ],
]

/** Programs that are in images of Debian's packages alone. */
export const PROGRAMS: Differences = {
  ...because(
    'uwsgi loads the module of the API: the next release has no program of its own for it',
    `barbican-api cinder-wsgi designate-api-wsgi glance-wsgi-api ironic-api-wsgi keystone-wsgi-admin keystone-wsgi-public magnum-api-wsgi manila-wsgi neutron-api neutron-server nova-api
    nova-api-metadata nova-api-os-compute nova-api-wsgi nova-metadata-wsgi octavia-wsgi placement-api`,
  ),
  ...because(
    'the next release has it no longer, and no chart starts it',
    'heat-all ironic-rootwrap neutron-plugin-manage',
  ),
}

/** Programs that are in images of PyPI's packages alone. */
export const VIRTUAL_ENVIRONMENT: Differences = {
  ...because('it makes the virtual environment', 'install-pins pip pip3 pip3.13 python'),
  ...because(
    'a command for people, of a library that Debian has without it or by another name',
    `aodh awscurl cheroot distro gunicorn gunicornc inv invoke jp.py markdown-it ovs-flowviz pygmentize pyroute2-decoder pyrsa-decrypt pyrsa-encrypt pyrsa-keygen
    pyrsa-priv2pub pyrsa-sign pyrsa-verify pysassc qr sqlformat`,
  ),
  ...because('a service that the next release has brought, and no chart runs', 'ironic-networking'),
  ...because('Debian has it in a package that no image needs', 'cinder-api glance-replicator manage.py'),
}
