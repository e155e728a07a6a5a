# SPDX-License-Identifier: GPL-2.0
# One chart of ./perflab scaling; "chart" is events, threads or cpus.
load system("dirname ".ARG0)."/../bench.d/common.gp"
data = dir."/".chart.".dat"
stats data using 1 nooutput
blocks = STATS_blocks
set terminal svg size 900,620 font "sans-serif,13" background "white"
set output dir."/".chart.".svg"
set title "Instructions of an operation; base dashed, ours solid"
set xlabel (chart eq "cpus" ? "CPUs" : chart)
set ylabel "instructions"
set logscale xy
set format y "10^{%L}"
set key outside right top Left reverse spacing 1.2 samplen 2
array colours[8] = ["#1f6fb4", "#d1495b", "#3a7d5c", "#8a5fb0", "#c98a1b", "#2a9d9d", "#6b6b6b", "#b8407f"]
plot for [i = 0:blocks - 1] data index i using 1:2 with linespoints dt 2 lw 1.5 pt 6 ps 0.5 \
	lc rgb colours[i % 8 + 1] notitle, \
     for [i = 0:blocks - 1] data index i using 1:3 with linespoints lw 2.2 pt 7 ps 0.6 \
	lc rgb colours[i % 8 + 1] title columnheader(1)
