# SPDX-License-Identifier: GPL-2.0
# Cost of fork, exit and wait against the number of inherited events.
load system("dirname ".ARG0)."/common.gp"
set terminal svg size 860,540 font "sans-serif,14" background "white"
set output dir."/fork.svg"
set title "Fork, exit and wait with inherited events"
set xlabel "inherited events"
set ylabel "thousand instructions per child"
set xrange [-0.3:16.5]
set xtics (0, 1, 2, 4, 8, 16)
set yrange [0:*]
set key left bottom
plot dir."/fork.dat" using 1:($2/1000) with linespoints lw 2.5 pt 7 ps 0.8 lc rgb base \
	title "base, software events", \
     "" using 1:($3/1000) with linespoints lw 2.5 pt 7 ps 0.8 lc rgb ours \
	title "ours, software events", \
     "" using 1:($4/1000) with linespoints lw 2.5 dt 2 pt 5 ps 0.7 lc rgb base \
	title "base, hardware events", \
     "" using 1:($5/1000) with linespoints lw 2.5 dt 2 pt 5 ps 0.7 lc rgb ours \
	title "ours, hardware events"
