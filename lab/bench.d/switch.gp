# SPDX-License-Identifier: GPL-2.0
# Added cost of a task switch against the number of events.
load system("dirname ".ARG0)."/common.gp"
set terminal svg size 860,540 font "sans-serif,14" background "white"
set output dir."/switch.svg"
set title "What hardware events add to a task switch"
set xlabel "events on the task"
set ylabel "added instructions per switch"
set logscale x 2
set xrange [0.9:9]
set xtics (1, 2, 4, 8)
set yrange [0:*]
set format y "%'.0f"
plot dir."/switch.dat" using 1:2 with linespoints lw 2.5 pt 7 ps 0.8 lc rgb base \
	title "base, inherited, between two members", \
     "" using 1:3 with linespoints lw 2.5 pt 7 ps 0.8 lc rgb ours \
	title "ours, inherited, between two members", \
     "" using 1:4 with linespoints lw 2.5 dt 2 pt 5 ps 0.7 lc rgb base \
	title "base, events on one side", \
     "" using 1:5 with linespoints lw 2.5 dt 2 pt 5 ps 0.7 lc rgb ours \
	title "ours, events on one side"
