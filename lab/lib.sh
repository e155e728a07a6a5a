# SPDX-License-Identifier: GPL-2.0
# Shell functions shared by the lab's scripts.  Sourced; sets TOP and BUILD.
# shellcheck shell=sh disable=SC2034 # used by those that source this

TOP=${TOP:-$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)}
BUILD=$TOP/build
PACKAGE=linux-source-6.12
ARCHIVE=/usr/src/$PACKAGE.tar.xz
JOBS=${JOBS:-$(nproc)}

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
	as_root=
	if [ "$(id -u)" -ne 0 ]; then
		command -v sudo >/dev/null ||
			die "need root (or sudo) to install:$missing"
		as_root=sudo
	fi
	mkdir -p "$BUILD"
	# shellcheck disable=SC2086 # lists of words
	if ! DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y --no-install-recommends \
	     $missing >"$BUILD/apt.log" 2>&1; then
		$as_root apt-get update >>"$BUILD/apt.log" 2>&1
		DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y \
			--no-install-recommends $missing >>"$BUILD/apt.log" 2>&1 || {
			tail -n 15 "$BUILD/apt.log" >&2
			die "apt-get could not install:$missing"
		}
	fi
}

build_packages() {
	packages "$PACKAGE" gcc libc6-dev make flex bison bc cpio xz-utils kmod \
		libelf-dev libssl-dev ccache perl python3
}

guest_packages() {
	packages qemu-system-x86 linux-perf bpftrace papi-tools busybox-static
}

# locked NAME CMD...: run CMD while no other lab process holds NAME.
locked() {
	mkdir -p "$BUILD/.lock"
	lock=$BUILD/.lock/$1
	shift
	(
		flock 9
		"$@" 9>&-
	) 9>"$lock"
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
