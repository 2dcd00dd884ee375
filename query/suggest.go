package query

// Near are the names of a list that a mistyped one may mean, nearest first; none where nothing is near.
func Near(name string, list []string) []string { return nearest(name, list) }
