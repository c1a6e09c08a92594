// Package html makes a page of the results of backtests: tables, and charts that can be zoomed. The page is one file that
// needs nothing from anywhere. The charts are drawn by uPlot, which lies in the folder uplot with its licence; "make
// vendor-uplot" copies it from its package again.
package html
