package query

// Aggregate is the meaning of an aggregate over rows: count of rows, or of those where its argument is not NULL; count_distinct of the different
// values of its argument, NULL left out. Anything else is NULL.
func Aggregate(a Agg, rows []Row, data Data) Value {
	seen := map[string]bool{}
	var n int64
	for _, row := range rows {
		if a.Arg == nil {
			n++
			continue
		}
		if v := Eval(a.Arg, row, data); v != nil {
			n++
			seen[Version([]Value{v})] = true
		}
	}
	switch a.Fn {
	case "count":
		return n
	case "count_distinct":
		return int64(len(seen))
	}
	return nil
}
