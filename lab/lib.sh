# SPDX-License-Identifier: GPL-2.0
# Shell functions shared by the lab's scripts.  Sourced; sets TOP and BUILD.
# shellcheck shell=sh disable=SC2034 # used by those that source this

TOP=${TOP:-$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)}
BUILD=$TOP/build
PACKAGE=linux-source-6.12
ARCHIVE=/usr/src/$PACKAGE.tar.xz
# One more than there are processors, since some jobs wait for the disk.
JOBS=${JOBS:-$(($(nproc) + 1))}

export LC_ALL=C

say() {
	printf '%s\n' "perflab: $*" >&2
}

die() {
	say "$*"
	exit 2
}

case $TOP in
*[!A-Za-z0-9_./+-]*)
	die "$TOP: a path with blanks or special characters does not work with kernel builds"
	;;
esac

# The word before a command that needs root.
as_root() {
	[ "$(id -u)" -ne 0 ] || return 0
	command -v sudo >/dev/null || die "need root, or sudo, for $1"
	echo sudo
}

# locked NAME CMD...: run CMD while no other lab process holds NAME.
locked() {
	mkdir -p "$BUILD/.lock"
	held=$1
	shift
	(
		flock -n 9 || { say "waiting for another process that uses $held" && flock 9; }
		"$@" 9>&-
	) 9>"$BUILD/.lock/$held"
}

# Another program may use dpkg at the moment.
apt_get() {
	DEBIAN_FRONTEND=noninteractive $as_root apt-get -o DPkg::Lock::Timeout=600 "$@"
}

apt_install() {
	if ! apt_get install -y --no-install-recommends "$@" >"$BUILD/apt.log" 2>&1; then
		apt_get update >>"$BUILD/apt.log" 2>&1
		apt_get install -y --no-install-recommends "$@" >>"$BUILD/apt.log" 2>&1 || {
			tail -n 15 "$BUILD/apt.log" >&2
			die "apt-get could not install: $*"
		}
	fi
}

# packages NAME...: install the Debian packages that are missing, and say so.
packages() {
	missing=
	for name; do
		case $(dpkg-query -W -f '${Status}' "$name" 2>/dev/null) in
		*" ok installed") ;;
		*) missing="$missing $name" ;;
		esac
	done
	[ -z "$missing" ] && return 0
	say "installing Debian packages:$missing"
	as_root=$(as_root "installing:$missing")
	# shellcheck disable=SC2086 # lists of words
	locked apt apt_install $missing
}

# use_arch NAME: read lab/arch/NAME, which sets
#
#   arch_kbuild, arch_cross   ARCH and CROSS_COMPILE of kbuild
#   arch_target, arch_image   the target for make, and the file to boot
#   arch_objects              approximate number of files that are compiled
#   arch_configs              the configurations it has; its own fragment over
#                             release.config is lab/config/NAME.config
#   arch_suffix               suffix of the names of its outputs
#   arch_short                the cases that ./perflab test runs on it beside all those of
#                             x86; see list in ./perflab test --help
#   arch_build_packages       host packages needed in addition to those below
#   arch_guest_packages
#   arch_debian               Debian's name for it, when the guest's root is not the
#                             host's but made by lab/root
#   arch_console, arch_tty    the kernel's console and the terminal of the command
#   arch_machine              a function: from $pmu, $cpu and $modelled (a line of
#                             lab/tests/machines), which may be empty, to $qemu,
#                             $machine (its options) and $parameters (the kernel's)
use_arch() {
	arch=$1
	[ -f "$TOP/lab/arch/$arch" ] || die "no architecture \"$arch\", only $(arch_list)"
	# shellcheck source=lab/arch/x86
	. "$TOP/lab/arch/$arch"
}

arch_list() {
	(cd "$TOP/lab/arch" && echo *)
}

has_config() {
	case " $arch_configs " in *" $1 "*) ;; *) return 1 ;; esac
}

# Which x86 drivers our core has: the base's or ours.  The base has its own in any case.
drivers=base

# use_drivers DRIVERS KERNEL ARCH: choose them; KERNEL and ARCH are what was asked for, if
# anything was.
use_drivers() {
	case $1:$2:${3:-x86} in
	base:*) ;;
	ours:base:*) die "--drivers ours: the base has only its own drivers" ;;
	ours:*:x86) ;;
	ours:*) die "--drivers ours: these drivers are for x86 only" ;;
	*) die "--drivers: base or ours, not $1" ;;
	esac
	drivers=$1
}

# drivers_of KERNEL: its drivers, as --drivers takes them.
drivers_of() {
	[ "$1" = ours ] || { echo base && return; }
	echo "$drivers"
}

# kernel_name KERNEL: what its outputs, results and messages are called.
kernel_name() {
	case $1:$drivers in
	ours:ours) echo ours-drivers ;;
	*) echo "$1" ;;
	esac
}

# tree_of KERNEL: its sources, see lab/tree.
tree_of() {
	case $(kernel_name "$1") in
	ours) echo "$BUILD/tree" ;;
	base) echo "$BUILD/basetree" ;;
	ours-drivers) echo "$BUILD/drivertree" ;;
	esac
}

# The name of an output under build/out and build/results; its boot image.
output_name() {
	printf '%s\n' "$(kernel_name "$1")-$2$arch_suffix"
}

boot_image() {
	printf '%s\n' "$BUILD/out/$(output_name "$1" "$2")/$arch_image"
}

build_packages() {
	# shellcheck disable=SC2086 # a list of words
	packages "$PACKAGE" gcc libc6-dev make flex bison bc cpio xz-utils kmod \
		libelf-dev libssl-dev ccache perl python3 $arch_build_packages
}

guest_packages() {
	# shellcheck disable=SC2086 # a list of words
	packages $arch_guest_packages
	[ -z "$arch_debian" ] || "$TOP/lab/root" "$arch"
}

guest_root() {
	[ -z "$arch_debian" ] || printf '%s\n' "$BUILD/root/$arch"
}

# Compiler cache: one per user, shared by both trees and by other clones.
use_ccache() {
	CCACHE_BASEDIR=$BUILD
	CCACHE_NOHASHDIR=1
	CCACHE_MAXSIZE=${CCACHE_MAXSIZE:-5G}
	KBUILD_BUILD_TIMESTAMP='Thu Jan  1 00:00:00 UTC 2026'
	KBUILD_BUILD_USER=perf
	KBUILD_BUILD_HOST=lab
	KBUILD_BUILD_VERSION=1
	export CCACHE_BASEDIR CCACHE_NOHASHDIR CCACHE_MAXSIZE
	export KBUILD_BUILD_TIMESTAMP KBUILD_BUILD_USER KBUILD_BUILD_HOST KBUILD_BUILD_VERSION
}

base_version() {
	dpkg-query -W -f '${Version}' "$PACKAGE" 2>/dev/null || echo unknown
}

# The project's files, from its top: tracked or not, but nothing that git ignores.
project() {
	if [ -d .git ]; then
		git -c safe.directory="$TOP" ls-files -co --exclude-standard
	else
		find . -path ./build -prune -o -type f -print | sed 's,^\./,,'
	fi | while read -r file; do
		[ ! -f "$file" ] || printf '%s\n' "$file"
	done
}
