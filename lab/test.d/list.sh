# SPDX-License-Identifier: GPL-2.0
# Part of lab/test: which cases there are, a line each: NAME TIMEOUT COMMAND.
# shellcheck shell=sh disable=SC2034,SC2154 # variables of lab/test

# wanted NAME: whether this run has the case.  $only, if not empty, lists all its cases.
wanted() {
	case " ${only:-$1} " in
	*" $1 "*) ;;
	*) return 1 ;;
	esac
	[ -n "$names" ] || return 0
	for part in $names; do
		case $1 in *"$part"*) return 0 ;; esac
	done
	return 1
}

header() {
	sed -n "s/^# $2 //p" "$1"
}

# Failures that only the base may have.
strict() {
	[ "$kernel" = base ] || printf 'PERF_TEST_STRICT=1 '
}

# spared NAME: the case only runs if it is requested by name, or this kernel cannot run it.
spared() {
	[ -z "$names" ] || return 1
	! grep -q "^$1 by-name$" "$TOP/lab/tests/selftests" || return 0
	grep -qE "^$1 not-on-($kernel|$config)$" "$TOP/lab/tests/selftests"
}

list_selftests() {
	for dir in tree base; do
		prefix=self
		[ $dir = tree ] || prefix=base-self
		[ -d "$BUILD/selftests/$dir$arch_suffix" ] || continue
		for file in "$BUILD/selftests/$dir$arch_suffix"/*; do
			if [ ! -f "$file" ] || [ ! -x "$file" ]; then
				continue
			fi
			name=$prefix/${file##*/}
			wanted "$name" || continue
			! spared "$name" || continue
			arguments=$(sed -n "s,^$name $config ,,p" "$TOP/lab/tests/selftests")
			case $arguments in
			slow-pmu*)
				arguments=${arguments#slow-pmu}
				file="sh $TOP/lab/guest/slow-pmu $file"
				;;
			esac
			printf '%s %d %s%s %s\n' "$name" $((180 * slow)) "$(strict)" "$file" \
				"$arguments"
		done
	done
}

# list_programs MACHINE: the cases whose "machine" line says MACHINE ("smp" if none)
# and whose "arch" line ("x86" if none) names this one.
list_programs() {
	for file in "$TOP"/lab/tests/programs/*; do
		name=${file##*/}
		wanted "$name" || continue
		machine=$(header "$file" machine)
		[ "${machine:-smp}" = "$1" ] || continue
		archs=$(header "$file" arch)
		case ${archs:-x86} in *"$arch"*) ;; *) continue ;; esac
		kernels=$(header "$file" kernel)
		case ${kernels:-$kernel} in *"$kernel"*) ;; *) continue ;; esac
		configs=$(header "$file" config)
		case ${configs:-$config} in *"$config"*) ;; *) continue ;; esac
		limit=$(header "$file" timeout)
		[ "$1" = smp ] || limit=0
		printf '%s %d sh -u %s\n' "$name" $((${limit:-40} * slow)) "$file"
	done
}

# list_pmu pmu|machines NAME CASE...: the cases of one line of lab/tests/pmus or machines.
list_pmu() {
	pmu_name=$1/$2
	shift 2
	for name; do
		wanted "$pmu_name/$name" || continue
		if [ -f "$TOP/lab/tests/pmu/$name" ]; then
			command="sh -u $TOP/lab/tests/pmu/$name"
		else
			command=$(strict)$BUILD/selftests/tree$arch_suffix/$name
		fi
		printf '%s/%s %d %s\n' "$pmu_name" "$name" $((120 * slow)) "$command"
	done
}

kunit_case() {
	wanted kunit || return 0
	# shellcheck disable=SC2016 # the guest's shell expands it
	printf 'kunit 60 for f in /sys/kernel/debug/kunit/*/results; do cat $f; done\n'
}

# list_soak PROGRAM ARGUMENT...: the limit includes the time after SECONDS, when tasks end
# and every count is compared.
list_soak() {
	wanted "soak/$1" || return 0
	printf 'soak/%s %d %s%s\n' "$1" $((2 * soak + 180 * slow)) "$(strict)" \
		"$BUILD/selftests/tree/$*"
}

# choose_short ARCH: the few cases that lab/arch/ARCH names, as far as they are wanted.
choose_short() {
	only=
	short=$(
		use_arch "$1"
		for name in $arch_short; do
			! wanted "$name" || printf '%s ' "$name"
		done
	)
}
