package main

// settings walk the trade between idle capacity and shortage from one end to the other, each with as few changes as that
// allows. CPU and memory are sized apart, so a setting of the one goes with any of the other, and one run tries both: most
// that change one resource often are together with one that seldom changes the other. The list is the same for all
// recordings. It was found by replaying them, so what it says of them is better than what others may see.
//
// The columns are those of knobs: price, headroom, share that is enough, past, gains and bands up and down, hold, patience.
//
//nolint:mnd // a list of numbers
var settings = []struct{ cpu, memory knobs }{
	{
		knobs{0.92, 1, 0.9, mostly5, 0.29, 0.0091, 0.12, 0.03, 6, 3},
		knobs{23, 1.04, 0.84, hours24, 0.022, 0.3, 0.04, 0.04, 0, 0},
	},
	{
		knobs{2, 1, 0.75, mostly9, 0.06, 0.033, 0.16, 0.03, 6, 2},
		knobs{120, 1.21, 0, mostly24, 0.01, 0.016, 0.09, 0.12, 6, 0},
	},
	{
		knobs{0.71, 1.04, 0.82, hours9, 0.24, 0.067, 0.04, 0.02, 0, 2},
		knobs{220, 1.19, 0, even12, 0.01, 0.01, 0.08, 0.12, 16, 0},
	},
	{
		knobs{13, 1.04, 0.96, mixed12, 0.031, 0.011, 0.05, 0.12, 24, 6},
		knobs{89, 1.08, 0.91, mixed42, 0.22, 0.029, 0.16, 0.26, 36, 0},
	},
	{
		knobs{0.27, 1.12, 0.94, hours9, 0.017, 0.13, 0.08, 0.05, 0, 1},
		knobs{130, 1.16, 0, even12, 0.0064, 0.014, 0.08, 0.11, 36, 0},
	},
	{
		knobs{6.7, 1, 0, hours9, 0.19, 0.076, 0.15, 0.09, 36, 24},
		knobs{2400, 1.16, 0, hours168, 0.014, 0.039, 0.14, 0.02, 6, 0},
	},
	{
		knobs{25, 1.06, 0, mixed24, 0.027, 0.0091, 0.05, 0.12, 24, 6},
		knobs{3200, 1.14, 0.9, hours72, 0.018, 0.019, 0.09, 0.01, 12, 0},
	},
	{
		knobs{3.9, 1.06, 0.95, hours9, 0.13, 0.094, 0.06, 0.08, 36, 24},
		knobs{95, 1.2, 0, mostly24, 0.012, 0.017, 0.09, 0.12, 6, 0},
	},
	{
		knobs{0.46, 1, 0.86, mixed24, 0.017, 0.042, 0.34, 0.08, 24, 6},
		knobs{130, 1.26, 0, even12, 0.028, 0.018, 0.16, 0.2, 36, 0},
	},
	{
		knobs{5, 1, 0.85, hours9, 0.3, 0.075, 0.23, 0.09, 16, 6},
		knobs{1500, 1.3, 0.98, hours42, 0.15, 0.006, 0.08, 0.18, 16, 0},
	},
	{
		knobs{0.1, 1.01, 0.92, mixed24, 0.012, 0.066, 0.17, 0.03, 24, 6},
		knobs{2900, 1.31, 0, hours168, 0.0038, 0.03, 0.14, 0.02, 24, 0},
	},
	{
		knobs{13, 1.05, 0, mixed24, 0.031, 0.012, 0.03, 0.12, 24, 6},
		knobs{89, 1.08, 0.91, hours12, 0.22, 0.029, 0.16, 0.26, 6, 0},
	},
	{
		knobs{2.1, 1, 0, hours9, 0.21, 0.085, 0.15, 0.09, 6, 24},
		knobs{100, 1.03, 0.93, hours42, 0.0058, 0.034, 0.14, 0.04, 36, 0},
	},
	{
		knobs{13, 1.06, 0, mixed24, 0.043, 0.0091, 0.05, 0.12, 24, 6},
		knobs{1000, 1.34, 0, even12, 0.15, 0.006, 0.08, 0.18, 36, 0},
	},
	{
		knobs{3, 1.01, 0, mixed12, 0.061, 0.035, 0.04, 0.15, 48, 6},
		knobs{280, 1.52, 0, hours12, 0.41, 0.3, 0.08, 0.03, 0, 0},
	},
	{
		knobs{2.2, 1, 0.92, hours24, 0.082, 0.035, 0.04, 0.15, 6, 6},
		knobs{13, 1.35, 0, mostly24, 0.077, 0.092, 0.14, 0.1, 6, 0},
	},
	{
		knobs{30, 1.29, 0.8, mixed24, 0.02, 0.017, 0.2, 0.05, 72, 24},
		knobs{290, 1.52, 0, mixed42, 0.9, 0.3, 0.06, 0.02, 0, 0},
	},
	{
		knobs{13, 1.12, 0, hours16, 0.1, 0.12, 0, 0.05, 48, 6},
		knobs{57, 1.2, 0, even12, 0.01, 0.018, 0.08, 0.1, 36, 0},
	},
	{
		knobs{12, 1.03, 0, hours24, 0.22, 0.036, 0.06, 0.02, 12, 6},
		knobs{11, 1.05, 0.8, hours72, 0.021, 0.45, 0.04, 0.03, 36, 0},
	},
	{
		knobs{28, 1.11, 0.77, hours24, 0.1, 0.13, 0.09, 0.05, 72, 6},
		knobs{130, 1.11, 0, even12, 0.0079, 0.0055, 0.08, 0.11, 36, 0},
	},
	{
		knobs{31, 1.11, 0, hours24, 0.066, 0.13, 0.11, 0.07, 72, 24},
		knobs{280, 1.32, 0, hours12, 0.41, 0.43, 0.08, 0.03, 0, 0},
	},
	{
		knobs{6.5, 1.09, 0.96, hours24, 0.069, 0.09, 0.07, 0.2, 72, 2},
		knobs{3000, 1.56, 0, even12, 0.0039, 0.04, 0.14, 0.02, 48, 0},
	},
	{
		knobs{1.8, 1.02, 0, hours48, 0.082, 0.04, 0.04, 0.13, 6, 6},
		knobs{2500, 1.19, 0, hours168, 0.014, 0.038, 0.14, 0.02, 6, 0},
	},
	{
		knobs{5.8, 1, 0, mostly9, 0.32, 0.11, 0.09, 0.28, 48, 6},
		knobs{150, 1.05, 0, even12, 0.0086, 0.025, 0.04, 0.03, 24, 0},
	},
	{
		knobs{7, 1.01, 0, mixed12, 0.23, 0.061, 0.34, 0.08, 6, 2},
		knobs{5.7, 1.37, 0, mostly24, 0.08, 0.08, 0.12, 0.12, 16, 0},
	},
	{
		knobs{16, 1, 0.85, hours24, 0.27, 0.08, 0.09, 0.15, 36, 3},
		knobs{1900, 1.45, 0, even12, 0.0041, 0.04, 0.14, 0.02, 48, 0},
	},
	{
		knobs{5.8, 1, 0, mostly9, 0.52, 0.11, 0.09, 0.22, 36, 6},
		knobs{100, 1.07, 0.95, mostly24, 0.018, 0.01, 0.03, 0.02, 48, 0},
	},
	{
		knobs{6.6, 1.1, 0.91, mixed24, 0.014, 0.16, 0.07, 0.05, 72, 6},
		knobs{92, 1.12, 0.93, hours12, 0.22, 0.029, 0.4, 0.26, 24, 0},
	},
}
