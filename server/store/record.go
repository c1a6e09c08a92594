package store

// record is what a commit makes of the record before, which may not be known, at a revision.
func (c *Commit) record(before Record, known bool, revision int64) Record {
	record := Record{Recommendation: c.Recommendation, State: c.State, Revision: revision, Published: revision}

	if !known || c.Changed {
		record.Recommendation.Revision = revision

		return record
	}

	record.Recommendation.Revision = before.Recommendation.GetRevision()

	if !c.Resend {
		record.Published = before.Published
	}

	return record
}
