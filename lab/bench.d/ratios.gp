# SPDX-License-Identifier: GPL-2.0
# Ours divided by the base, a bar for each row, with the target where there is one.
load system("dirname ".ARG0)."/common.gp"
stats dir."/ratios.dat" using 2 nooutput
rows = STATS_records
set terminal svg size 900,90+17*rows font "sans-serif,12" background "white"
set output dir."/ratios.svg"
set title "Cost on this kernel divided by the cost on the base" offset -12,0
set xlabel "instructions or bytes, ours / base, logarithmic"
set logscale x 2
set xrange [1./64:7.5]
set xtics ("1/64" 1./64, "1/32" 1./32, "1/16" 1./16, "1/8" 0.125, "1/4" 0.25, "1/2" 0.5, \
	"1" 1, "2" 2, "4" 4)
set yrange [rows-0.3:-0.7]
set ytics font ",11"
set border 1
set bmargin 5
unset grid
set grid xtics linetype 1 linewidth 0.5 linecolor rgb "#dddddd"
set arrow from 1,rows-0.3 to 1,-0.7 nohead linewidth 1.2 linecolor rgb "#444444" front
set key bottom right outside horizontal
low = 1./64
# As common.gp has them: one of a variable kind is a number.
colour(x) = int("0x".substr(x > 1.02 ? more : less, 2, 7))
clip(x) = x < low ? low : x > 4 ? 4 : x
plot dir."/ratios.dat" using (1):0:(clip($2)):(1):($0-0.36):($0+0.36):(colour($2)):ytic(1) \
	with boxxyerror fill solid 0.9 noborder lc rgb variable notitle, \
     keyentry with boxes fill solid 0.9 lc rgb more title "more than the base", \
     keyentry with boxes fill solid 0.9 lc rgb less title "equal or less", \
     "" using 3:0 with points pt 2 ps 0.7 lw 2 lc rgb "#111111" title "target", \
     "" using (4.5):0:(sprintf("%.2f", $2)) with labels left font ",10" tc rgb "#222222" notitle
