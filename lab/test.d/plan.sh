# SPDX-License-Identifier: GPL-2.0
# Part of lab/test: the cases of one kernel, one machine after the other.
# shellcheck shell=sh disable=SC2034,SC2154 # variables of lab/test

# in_time WHAT: whether --minutes leaves time to test WHAT; if not, it is skipped.
in_time() {
	[ -n "$minutes" ] && [ $(($(date +%s) - started)) -ge $((60 * minutes)) ] || return 0
	printf '%s: skipped, since %d minutes are over\n' "$1" "$minutes"
	record skip
	return 1
}

# pmu_rows pmu|machines: what is booted for lab/tests/pmus or lab/tests/machines:
# "NAME|VM-OPTION...|CASE..."
pmu_rows() {
	more=
	[ "$config" != debug ] || more=filter=ctx
	case $1 in
	pmu)
		awk -v arch="$arch" -v more="$more" '$1 == arch {
			options = "--pmu " $3 (more && $3 != "none" ? "," more : "")
			name = $2
			$1 = $2 = $3 = ""
			print name "|" options "|" $0
		}' "$TOP/lab/tests/pmus"
		;;
	machines)
		[ "$arch" = x86 ] || return 0
		# Without filter=ctx the model writes records of kernel code for events of user
		# code. The base's drivers show these records.
		precise=
		[ "$(drivers_of "$kernel")" = base ] || precise=precise
		# The base shows where a late interrupt came, even in the kernel.
		branches=
		[ "$kernel" = base ] || branches=branches
		awk -v more="$more" -v precise="$precise" -v branches="$branches" \
			-v known=" $(cd "$BUILD/constraints" && echo *) " '/^[a-z]/ {
			cases = /hybrid=1/ ? "machine hybrid" : "machine stat record hw_counting groups"
			if (/intel/ && !/hybrid=1|version=0|^penryn/)
				cases = cases " offcore"
			if (/metrics=/)
				cases = cases " topdown"
			if (/pebs=/ && !/hybrid=1/)
				cases = cases " " precise
			if (/lbr=/ && !/hybrid=1/)
				cases = cases " " branches
			pmu = more
			if (index(known, " " $1 " ")) {
				cases = "constraints " cases " misplaced"
				pmu = "strict=1" (more ? "," more : "")
			}
			# With the watchdog one counter of two would be left.
			print $1 "|--machine " $1 (pmu ? " --pmu " pmu : "") \
				(/version=0/ ? " --append nmi_watchdog=0" : "") "|" cases
		}' "$TOP/lab/tests/machines"
		;;
	esac
}

# boot_pmus TABLE: boot one machine after the other, each with the cases that $share has
# for it.
boot_pmus() {
	pmu_rows "$1" >"$share/rows"
	while IFS='|' read -r pmu_name options _; do
		grep "^$1/$pmu_name/" "$share/list" >"$share/list.pmu" || continue
		# shellcheck disable=SC2086 # a list of words
		boot "$share/list.pmu" "$1/$pmu_name/boot" --memory "$memory" $options </dev/null
	done <"$share/rows"
}

# pmu_tests TABLE: the cases of all PMUs, two machines at a time; they have one result
# together.
pmu_tests() {
	pmu_rows "$1" | while IFS='|' read -r pmu_name _ names_of_cases; do
		# shellcheck disable=SC2086 # a list of words
		list_pmu "$1" "$pmu_name" $names_of_cases
	done >"$cases"
	in_two "$label-$1" boot_pmus "$1" || return 0
	for share in "$first" "$second"; do
		judge_all
	done
}

# kernel_tests KERNEL CONFIG SELECTION: selection is kunit, self, programs, pmus, machines.
kernel_tests() {
	kernel=$1 config=$2 selection=$3
	[ "$build" -eq 0 ] || "$TOP/lab/build" --arch "$arch" --kernel "$kernel" \
		--drivers "$(drivers_of "$kernel")" --config "$config"
	slow=1 memory=2G vm_limit=1500 pmu=
	[ "$config" = release ] || { slow=4 memory=3G vm_limit=3600; }
	[ "$config" != debug ] || pmu=intel,filter=ctx
	# Accesses of two CPUs at the same time need two host threads.
	[ "$config" != kcsan ] || threads=
	vm_limit=${limit_given:-$vm_limit}
	label=$(output_name "$kernel" "$config")
	case $selection in
	*kunit*)
		kunit_case >"$cases"
		machine "$label-kunit" --memory "$memory" --append kunit.enable=1
		;;
	esac
	: >"$cases"
	case $selection in *self*) list_selftests >>"$cases" ;; esac
	case $selection in *programs*) list_programs smp >>"$cases" ;; esac
	machines=machine
	case $kernel:$config in base:release | ours:debug) machines=two_machines ;; esac
	"$machines" "$label" --memory "$memory" ${pmu:+--pmu "$pmu"}
	case $selection in
	*programs*)
		list_programs icount >"$cases"
		machine "$label-icount" --memory "$memory" --cpus 1 --icount
		;;
	esac
	case $selection in *pmus*) pmu_tests pmu ;; esac
	case $selection in
	*machines*)
		make_constraints
		pmu_tests machines
		;;
	esac
}

# soak_tests KERNEL CONFIG
soak_tests() {
	kernel=$1 config=$2
	use_arch x86
	guest_packages
	make_headers
	compile_selftests tree churn inherit_storm process_storm perf_fuzz
	[ "$build" -eq 0 ] || "$TOP/lab/build" --kernel "$kernel" \
		--drivers "$(drivers_of "$kernel")" --config "$config"
	slow=1 pmu=intel
	[ "$config" = release ] || { slow=4 pmu=intel,filter=ctx; }
	vm_limit=$((5 * soak + 600 * slow))
	label=$(output_name "$kernel" "$config")
	{
		list_soak churn "$soak" 16
		list_soak inherit_storm "$soak"
		list_soak process_storm "$soak" 8
		list_soak perf_fuzz --test "$soak" --procs 8
	} >"$cases"
	machine "$label-soak-single" --cpus 4 --memory 4G --pmu $pmu
	threads=
	machine "$label-soak" --cpus 4 --memory 4G --pmu $pmu
}

# short_tests ARCH: in one machine.  If packages for the foreign machine cannot be installed,
# its cases are skipped; if something does not compile, that is a failed case.
short_tests() {
	[ -n "$short" ] || return 0
	use_arch "$1"
	kernel=ours config=release slow=1 vm_limit=900 only=$short
	label=$(output_name $kernel $config)
	where=$label
	rc=0
	wait "$preparing" || rc=$?
	preparing=
	if [ $rc -ne 0 ]; then
		case $rc in
		3) say "$1: skipped, since packages cannot be installed:" && record skip ;;
		*) record fail build "what it takes does not compile" ;;
		esac
		show "$BUILD/later.log" 30
		return 0
	fi
	{
		kunit_case
		list_selftests
		list_programs smp
	} >"$cases"
	machine "$label" --memory 2G --append kunit.enable=1
}
