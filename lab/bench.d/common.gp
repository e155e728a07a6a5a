# SPDX-License-Identifier: GPL-2.0
# What the charts share: size, fonts, colours.  "dir" is set by the caller.
set border 3 linewidth 1 linecolor rgb "#444444"
set tics nomirror textcolor rgb "#222222"
set title font ",17" textcolor rgb "#111111"
set grid ytics linetype 1 linewidth 0.5 linecolor rgb "#dddddd"
set key left top Left reverse spacing 1.3 samplen 2.5
set datafile missing "NaN"
base = "#7d8590"
ours = "#1f6fb4"
more = "#d1495b"
less = "#3a7d5c"
