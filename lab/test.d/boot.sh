# SPDX-License-Identifier: GPL-2.0
# Part of lab/test: run a list of cases in a machine, again where one has died.
# shellcheck shell=sh disable=SC2034,SC2154 # variables of lab/test

# With several CPUs QEMU's emulation sometimes executes a breakpoint instruction that
# the kernel has removed already while it changes its code.  That is not a fault of the
# kernel: lab/reports.emulator holds the report's first line, and the case runs again.
emulator_fault() {
	grep -aqE -f "$TOP/lab/reports.emulator" "$share/report" && [ ! -e "$share/$1.again" ]
}

# lab/reports.base has reports that the base is known to make under stress.  They are not a
# fault of the test or of our kernel: the case counts as skipped.
base_fault() {
	[ "$kernel" = base ] && grep -aqE -f "$TOP/lab/reports.base" "$share/report"
}

# fill_share: make the folder $share, which only has the file $cases, as "list".
fill_share() {
	rm -rf "$share"
	mkdir -p "$share"
	while read -r name _; do
		mkdir -p "$share/$(dirname "$name")"
	done <"$cases"
	cp "$cases" "$share/list"
}

# results LABEL: make the folder $share, locked until the next call.  Exit status 1 if there
# are no cases.
results() {
	share=$BUILD/results/$1
	exec 8>"$BUILD/.lock/results-$1"
	flock -n 8 || { say "waiting for another test of $1" && flock 8; }
	[ -s "$cases" ] || return 1
	fill_share
	where=$1
	printf '%s: %d cases ' "$where" "$(wc -l <"$share/list")"
	begin=$(date +%s)
}

# why_nobody RC: describe a failure while no case was running.
why_nobody() {
	while read -r name _; do
		[ -e "$share/$name.rc" ] && continue
		echo "the machine did not come up (status $1)"
		return
	done <"$share/cases"
	echo "a report after the last case (status $1)"
}

# boot CASES BOOT VM-OPTION...: run the cases of a file in a machine; after a report, run
# the remaining ones in a new machine.  If none ran, there is a BOOT.rc that says "report".
boot() {
	cp "$1" "$share/cases"
	boot=$2
	shift 2
	for _ in 1 2 3 4 5 6 7 8; do
		rc=0
		# shellcheck disable=SC2086 # an option or none
		"$TOP/lab/vm" --arch "$arch" $threads --share "$share" --timeout "$vm_limit" \
			--append "$append" "$@" \
			"$(boot_image "$kernel" "$config")" -- sh "$TOP/lab/guest/cases" 2>"$share/report" 8>&- || rc=$?
		[ $rc -ne 0 ] || break
		guilty=$(cat "$share/running" 2>/dev/null || echo "$boot")
		rm -f "$share/running"
		if emulator_fault "$guilty"; then
			mv "$share/report" "$share/$guilty.again"
			printf '~'
			continue
		fi
		if base_fault; then
			echo known >"$share/$guilty.rc"
			mv "$share/report" "$share/$guilty.report"
			printf '?'
			continue
		fi
		echo report >"$share/$guilty.rc"
		mv "$share/report" "$share/$guilty.report"
		printf '!'
		if [ "$guilty" = "$boot" ]; then
			why_nobody "$rc" >"$share/$boot.why"
			break
		fi
	done
}

# set_aside TRY: the results of the cases in the file "again".
set_aside() {
	while read -r name _; do
		mv "$share/$name.rc" "$share/$name.rc.$1"
		mv "$share/$name.out" "$share/$name.out.$1"
	done <"$share/again"
}

# still_fails: whether a case in the file "again" fails.
still_fails() {
	while read -r name _; do
		! fails "$name" || return 0
	done <"$share/again"
	return 1
}

# Tests that measure time may fail on a busy host.  More than two such cases, or one that
# fails again, are failures like all others.
try_again() {
	[ "$again" -eq 1 ] || return 0
	list_not_ok >"$share/again"
	[ -s "$share/again" ] && [ "$(wc -l <"$share/again")" -le 2 ] || return 0
	for try in 1 2 3; do
		set_aside $try
		printf ' again '
		boot "$share/again" boot "$@"
		! still_fails || return 0
	done
	while read -r name _; do
		unsteady="$unsteady
$where: $name"
		printf '\n--- UNSTEADY %s: %s: failed, then passed three times\n' "$where" "$name"
		show "$share/$name.out.1"
	done <"$share/again"
}

# machine LABEL VM-OPTION...: the cases of the file $cases in one machine.
machine() {
	results "$1" || return 0
	shift
	boot "$share/list" boot "$@"
	try_again "$@"
	judge_all
}

# boot_list VM-OPTION...: boot for all cases of $share, which may be none.
boot_list() {
	[ ! -s "$share/list" ] || boot "$share/list" boot "$@"
}

# half SIDE LIST: the cases of the first (0) or second (1) of two machines.  Each case goes
# to the side with less work so far, by the lines "NAME seconds N" of lab/tests/selftests;
# those of one PMU stay together.
half() {
	awk -v wanted="$1" '
		NR == FNR { if ($2 == "seconds") seconds[$1] = $3; next }
		{ split($1, part, "/"); key = part[1] ~ /^(pmu|machines)$/ ? part[2] : $1 }
		!(key in side) { side[key] = work[0] > work[1] }
		{ work[side[key]] += $1 in seconds ? seconds[$1] : 10 }
		side[key] == wanted' "$TOP/lab/tests/selftests" "$2"
}

# in_two LABEL BOOT...: give a half of the cases to the folder $second, and run the command
# BOOT for both at the same time.  Exit status 1 if there are no cases.
in_two() {
	results "$1" || return 1
	shift
	first=$share
	second=$share-2
	half 0 "$first/list" >"$cases"
	share=$second
	fill_share
	half 1 "$first/list" >"$cases"
	share=$first
	fill_share
	(share=$second && "$@") &
	beside=$!
	"$@"
	wait "$beside"
	beside=
}

# two_machines LABEL VM-OPTION...: as machine, with two machines at the same time.  For a
# kernel that is tested when little is left to build.
two_machines() {
	label_of_two=$1
	shift
	in_two "$label_of_two" boot_list "$@" || return 0
	for share in "$first" "$second"; do
		try_again "$@"
		judge_all
	done
}
