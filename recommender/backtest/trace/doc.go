// Package trace reads recorded usage of services: what each used, as the mean over short intervals.
//
// A recording is two CSV files in UTF-8 with a header line, no quotes, and LF or CRLF at the end of each line; either
// may be packed with gzip. The first holds the samples, all of one service together and in the order of time:
//
//	service,ts_unix,cpu_cores,mem_bytes
//	db-1,1304290800,3.599,6366200000
//	db-1,1304291100,3.616,
//
// The second holds one line for each service; see Service for its columns. In both an empty field means that the value
// is not known. That is not the same as 0.
//
// Reading is strict: a line that is not exactly as it should be is an *Error, which says where it is and what would be
// right. Nothing is skipped or guessed.
package trace
