// SPDX-License-Identifier: GPL-2.0
/* Matrix product: floating point. */
#include <stdlib.h>
#include "demo.h"

double matrix_trace(unsigned int size)
{
	double *m = malloc(size * size * sizeof(*m));
	double trace = 0;

	if (!m)
		return 0;
	for (unsigned int i = 0; i < size * size; i++)
		m[i] = 1.0 / (1 + i % 17);
	for (unsigned int i = 0; i < size; i++)
		for (unsigned int k = 0; k < size; k++)
			trace += m[i * size + k] * m[k * size + i];
	free(m);
	return trace;
}
