# SPDX-License-Identifier: GPL-2.0
# Part of lab/test: compile the selftests; build kernels in the background for later.
# shellcheck shell=sh disable=SC2034,SC2154 # variables of lab/test

# compile_selftests TREE [NAME...]: static programs, since the guest's root may lack the
# libraries of the build machine.  The base's programs are compiled as its Makefile does,
# without -O2.
compile_selftests() {
	source=$BUILD/$1/tools/testing/selftests/perf_events
	[ -f "$source/Makefile" ] || return 0
	programs=$BUILD/selftests/$1$arch_suffix
	mkdir -p "$programs"
	# Headers of a tree are no prerequisites in these Makefiles.
	find "$programs" -type f -perm -100 ! -newer "$source" -delete
	patience=
	if [ "$1" = base ]; then
		patience=$programs/patience.o
		"${arch_cross}gcc" -Wall -c -o "$patience" "$TOP/lab/tests/patience.c"
		patience="-Wl,--wrap=alarm $patience"
	fi
	shift
	targets=
	for name; do
		targets="$targets $programs/$name"
	done
	# shellcheck disable=SC2086 # a list of words
	make -j"$JOBS" -C "$source" CC="${arch_cross}gcc -static -pthread" \
		OUTPUT="$programs" KHDR_INCLUDES="-isystem $headers" LDLIBS="$patience" \
		$targets >"$programs.log" 2>&1 || {
		grep -E 'error|warning|Error' "$programs.log" >&2 || :
		die "selftests do not compile: ${programs#"$TOP"/}.log"
	}
}

# make_constraints: for each CPU of lab/tests/machines whose counters perf's list of events
# tells: what to write to the model's file "constraints", and NAME.each with a line for each
# event.  And the program that opens these events.
make_constraints() {
	packages python3
	rm -rf "$BUILD/constraints"
	mkdir -p "$BUILD/constraints"
	# shellcheck disable=SC2013 # words, no lines
	for name in $(awk '/^[a-z]/ { print $1 }' "$TOP/lab/tests/machines"); do
		file=$BUILD/constraints/$name
		rc=0
		"$TOP/lab/constraints" "$name" >"$file" 2>>"$BUILD/constraints.log" || rc=$?
		case $rc in
		0) "$TOP/lab/constraints" --each "$name" >"$file.each" ;;
		1) rm "$file" ;;
		*) die "lab/constraints $name failed: build/constraints.log" ;;
		esac
	done
	gcc -static -O1 -Wall -Wextra -o "$BUILD/constraints/.place_events" \
		"$TOP/lab/tests/place_events.c"
}

make_headers() {
	# shellcheck disable=SC2086 # a list of words
	packages gcc libc6-dev make $arch_build_packages
	headers=$BUILD/tree/out-release$arch_suffix/usr/include
	"$TOP/lab/build" --kernel ours --config release --arch "$arch" headers \
		>"$BUILD/headers.log" 2>&1 || die "make headers failed: build/headers.log"
}

build_selftests() {
	make_headers
	compile_selftests base
	compile_selftests tree
}

# for_arch NAME: set up the tests on an architecture.
for_arch() {
	use_arch "$1"
	guest_packages
	build_selftests
}

# Build for later: the command "lab/test --prepare --ahead KERNEL:CONFIG...
# [--arch ARCH CASE...]".  Exit status 3 if a package for the cases of ARCH cannot be
# installed, another status if something for these cases does not compile.  If a kernel does
# not compile, the next step that needs it reports that.
prepare_later() {
	for pair in $ahead; do
		"$TOP/lab/build" --kernel "${pair%:*}" --drivers "$(drivers_of "${pair%:*}")" \
			--config "${pair#*:}" || :
	done
	[ -n "$only_arch" ] || return 0
	use_arch "$only_arch"
	(build_packages && guest_packages) || exit 3
	[ "$build" -eq 0 ] || "$TOP/lab/build" --arch "$arch"
	make_headers
	chosen=
	for name in $names; do
		case $name in self/*) chosen="$chosen ${name#self/}" ;; esac
	done
	# shellcheck disable=SC2086 # a list of words
	[ -z "$chosen" ] || compile_selftests tree $chosen
}

# begin_later ARCH KERNEL:CONFIG...: do that in the background, in a separate session, with
# the CPU time that the guests and builds of this one leave.
begin_later() {
	later="--drivers $drivers ${short:+--arch $1}"
	[ "$build" -eq 1 ] || later="$later --no-build"
	shift
	[ "$build" -eq 0 ] || [ $# -eq 0 ] || ahead="$*"
	[ -n "$short$ahead" ] || return 0
	# shellcheck disable=SC2016 disable=SC2086 # the new shell expands it; lists of words
	setsid nice -n 19 sh -c '
		{ echo 19 >/proc/self/autogroup; } 2>/dev/null
		exec "$@"' sh \
		"$TOP/lab/test" --prepare ${ahead:+--ahead "$ahead"} $later $short \
		>"$BUILD/later.log" 2>&1 </dev/null 8>&- &
	preparing=$!
}
